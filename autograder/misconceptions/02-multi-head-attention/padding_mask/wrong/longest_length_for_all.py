"""The longest length is used for all sentences. Look at how many lengths there are."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths.max()).expand(len(lengths), 1, 1, N_K)
