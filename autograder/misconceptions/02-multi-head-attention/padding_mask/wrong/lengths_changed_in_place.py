"""The lengths of the caller are changed: one is subtracted in place. Look for operations that write
into an argument."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    lengths -= 1
    return (positions <= lengths[:, None])[:, None, None, :]
