"""The last real word of each sentence is hidden: the positions are counted from 1. Look at the
number of the first key."""


def padding_mask(lengths, N_K):
    positions = torch.arange(1, N_K + 1, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]
