"""The first padding of each sentence is let through. Look at the number of the last real key when
counting starts at 0."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions <= lengths[:, None])[:, None, None, :]
