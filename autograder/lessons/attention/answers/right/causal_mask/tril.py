"""tril of ones."""
def causal_mask(N_Q, N_K=None, device=None):
    if N_K is None:
        N_K = N_Q
    return torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q)
