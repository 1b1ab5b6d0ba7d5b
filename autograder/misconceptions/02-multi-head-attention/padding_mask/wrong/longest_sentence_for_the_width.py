"""The mask is as wide as the longest sentence instead of N_K, so it does not fit a batch that is
padded further. Look at where N_K is used."""


def padding_mask(lengths, N_K):
    positions = torch.arange(int(lengths.max()), device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]
