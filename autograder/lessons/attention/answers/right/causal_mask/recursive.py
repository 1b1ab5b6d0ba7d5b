"""Odd: one column more for each query, built from the mask of one query less."""
def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    if N_Q == 1:
        return torch.ones(1, N_K, dtype=torch.bool, device=device)
    before = F.pad(causal_mask(N_Q - 1, N_K - 1, device), (0, 1), value=False)
    return torch.cat([before, torch.ones(1, N_K, dtype=torch.bool, device=device)])
