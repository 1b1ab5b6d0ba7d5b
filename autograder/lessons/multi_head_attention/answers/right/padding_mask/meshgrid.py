"""Two tables from meshgrid."""
def padding_mask(lengths, N_K):
    keys = torch.arange(N_K, device=lengths.device, dtype=lengths.dtype)
    length, key = torch.meshgrid(lengths, keys, indexing="ij")
    mask = torch.lt(key, length)
    return mask[:, None, None, :].contiguous()
