"""Odd: each length picks its row from a triangle."""
def padding_mask(lengths, N_K):
    triangle = torch.ones(N_K + 1, N_K, dtype=torch.bool, device=lengths.device).tril(-1)
    return triangle[lengths.clamp(max=N_K).long()].reshape(lengths.shape[0], 1, 1, N_K)
