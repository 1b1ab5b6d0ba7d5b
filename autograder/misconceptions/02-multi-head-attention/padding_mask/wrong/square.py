"""The mask has a row for every key: (B, 1, N_K, N_K). There may be another number of queries than
keys. Look at what broadcasting does with an axis of length 1."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :].expand(-1, 1, N_K, N_K)
