"""The mask is made of 0 and −∞, to be added to the similarities. Look at the kind of mask that
allowed is: True and False."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    hidden = (positions >= lengths[:, None])[:, None, None, :]
    return torch.zeros(hidden.shape, device=lengths.device).masked_fill(hidden, -torch.inf)
