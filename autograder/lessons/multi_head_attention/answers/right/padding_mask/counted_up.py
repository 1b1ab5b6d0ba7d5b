"""Positions from a cumulative sum of ones, and a comparison turned round with ~."""
def padding_mask(lengths, N_K):
    ones = torch.ones(len(lengths), N_K, dtype=torch.int64, device=lengths.device)
    positions = torch.cumsum(ones, dim=1) - 1
    hidden = torch.ge(positions, lengths.unsqueeze(dim=1))
    return (~hidden)[:, None, None]
