"""Rows and columns of the padding are hidden: (B, 1, N_K, N_K). There may be another number of
queries than keys. Look at whose padding the mask is about."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    real = positions < lengths[:, None]
    return (real[:, :, None] & real[:, None, :])[:, None]
