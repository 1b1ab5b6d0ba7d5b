"""Only the last real word of each sentence is let through. Look at how a position has to compare
with the length."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions == lengths[:, None] - 1)[:, None, None, :]
