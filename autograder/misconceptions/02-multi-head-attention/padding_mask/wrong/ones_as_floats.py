"""The mask is made of floating numbers 0 and 1 instead of False and True. Look at the dtype of the
tensor that you fill."""


def padding_mask(lengths, N_K):
    mask = torch.zeros(len(lengths), 1, 1, N_K, device=lengths.device)
    for b, length in enumerate(lengths.tolist()):
        mask[b, :, :, :length] = 1
    return mask
