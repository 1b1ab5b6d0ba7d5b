"""The rows are in reverse order: the first query may attend to the most keys. Look at how many True
the first row is to hold."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q).flip(0)
