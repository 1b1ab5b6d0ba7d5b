"""Two aranges compared."""
def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_K or N_Q
    i = torch.arange(N_Q, device=device).view(-1, 1)
    j = torch.arange(N_K, device=device).view(1, -1)
    return j <= i + (N_K - N_Q)
