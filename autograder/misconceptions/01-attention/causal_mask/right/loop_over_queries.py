"""A loop that fills one row after the other."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    allowed = torch.zeros(N_Q, N_K, dtype=torch.bool, device=device)
    for i in range(N_Q):
        allowed[i, : i + 1 + N_K - N_Q] = True
    return allowed
