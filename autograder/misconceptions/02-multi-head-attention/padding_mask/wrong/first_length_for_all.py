"""The length of the first sentence is used for all. Look at how many lengths there are."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[0]).expand(len(lengths), 1, 1, N_K)
