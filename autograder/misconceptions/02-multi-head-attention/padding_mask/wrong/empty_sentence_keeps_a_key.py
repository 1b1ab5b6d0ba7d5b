"""A sentence of length 0 keeps its first key, to avoid a softmax over nothing. Look at what is said
about queries that may attend to nothing."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths.clamp(min=1)[:, None])[:, None, None, :]
