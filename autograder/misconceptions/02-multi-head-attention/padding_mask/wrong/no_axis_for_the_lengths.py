"""Positions and lengths are compared entry by entry, which fails unless there are as many sentences
as keys. Look at how two vectors of different lengths make a table."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths)[:, None, None, None].expand(-1, 1, 1, N_K)
