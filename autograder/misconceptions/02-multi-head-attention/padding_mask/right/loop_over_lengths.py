"""A Python loop that fills rows."""


def padding_mask(lengths, N_K):
    mask = torch.zeros(lengths.shape[0], 1, 1, N_K, dtype=torch.bool, device=lengths.device)
    for b in range(lengths.shape[0]):
        mask[b, 0, 0, : lengths[b]] = True
    return mask
