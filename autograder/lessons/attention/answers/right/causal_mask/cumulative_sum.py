"""The cumulative sum of shifted ones along the rows."""
def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    place = torch.ones(N_Q, N_K, device=device).cumsum(dim=1)
    last = torch.ones(N_Q, 1, device=device).cumsum(dim=0) + (N_K - N_Q)
    return place.le(last)
