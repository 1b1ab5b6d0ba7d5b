"""True stands where the padding is. Look at what True means in allowed."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions >= lengths[:, None])[:, None, None, :]
