"""The positions are made on the default device, so lengths on a GPU fail. Look at where a new
tensor is made unless told otherwise."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K)
    return (positions < lengths[:, None])[:, None, None, :]
