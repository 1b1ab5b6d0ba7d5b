"""The lengths run along the axis of the queries: (B, 1, N_K, 1). Look at which axis of the weights
belongs to the keys."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[:, None, :, None]
