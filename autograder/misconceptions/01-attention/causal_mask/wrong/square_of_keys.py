"""The mask has a row for every key, also when there are fewer queries. Look at the shape that is to
be returned, and at which rows of your mask belong to the queries."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return torch.tril(torch.ones(N_K, N_K, dtype=torch.bool, device=device))
