"""A list comprehension turned into a tensor."""
def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    rows = [[j <= i + (N_K - N_Q) for j in range(N_K)] for i in range(N_Q)]
    return torch.tensor(rows, device=device)
