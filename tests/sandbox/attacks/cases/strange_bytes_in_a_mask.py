"""A bool tensor whose bytes are neither 0 nor 1."""

# replaces: causal_mask
def causal_mask(N_Q, N_K=None, device=None):
    return torch.full((N_Q, N_K or N_Q), 255, dtype=torch.uint8).view(torch.bool)

# may earn: 1
