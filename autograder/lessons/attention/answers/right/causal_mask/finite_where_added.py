"""The additive mask of −inf, asked where it is 0."""
def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    additive = torch.full((N_Q, N_K), float("-inf"), device=device).triu(N_K - N_Q + 1)
    return additive == 0
