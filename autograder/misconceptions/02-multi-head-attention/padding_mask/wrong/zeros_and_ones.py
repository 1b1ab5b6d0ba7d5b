"""The mask is made of the numbers 0 and 1 instead of False and True; ~ means something else for
them. Look at the dtype of the mask."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :].long()
