"""The mask has an extra leading axis of length 1. Look at the shape that is to be returned."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(1, N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q)
