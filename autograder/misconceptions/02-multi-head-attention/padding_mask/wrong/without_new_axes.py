"""The mask has the shape (B, N_K), whose B meets the axis of the queries when it is broadcast. Look
at which axes (B, H, N_Q, N_K) has between the batch and the keys."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])
