"""The batch stands on the axis of the queries: (1, 1, B, N_K). Look at the order B, H, N_Q, N_K."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[None, None, :, :]
