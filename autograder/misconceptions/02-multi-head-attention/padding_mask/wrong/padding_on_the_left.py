"""The last keys are let through instead of the first: this fits padding that stands on the left.
Look at where the real words of a padded sentence stand."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions >= N_K - lengths[:, None])[:, None, None, :]
