"""The mask has the shape (N_K, N_Q) instead of (N_Q, N_K). Look at which axis is to belong to the
queries."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q).T
