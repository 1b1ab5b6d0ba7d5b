"""With N_K > N_Q the triangle is stretched to the rectangle instead of moved. Look at how many more
keys each query sees than the one before it."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    rows = torch.arange(1, N_Q + 1, device=device).unsqueeze(1) * N_K // N_Q
    return torch.arange(N_K, device=device) < rows
