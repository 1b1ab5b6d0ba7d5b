"""Positions compared with lengths, then two axes put in."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]
