"""The mask is turned round: True stands where a query may not attend. Look at what True means in
allowed."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    rows = torch.arange(N_Q, device=device).unsqueeze(1) + (N_K - N_Q)
    return torch.arange(N_K, device=device) > rows
