"""The table is built with a row for every key and then viewed as one with a row for every sentence,
which mixes the sentences. Look at which axis of the table belongs to the batch."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    table = positions[:, None] < lengths
    return table.reshape(-1, 1, 1, N_K)
