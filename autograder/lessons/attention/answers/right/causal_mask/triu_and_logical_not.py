"""logical_not of the strict upper triangle of floats."""
def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    future = torch.triu(torch.ones((N_Q, N_K), device=device), diagonal=1 + N_K - N_Q)
    return torch.logical_not(future)
