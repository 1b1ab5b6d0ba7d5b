"""Leaving N_K out fails: None is not handled. Look at what N_K = None is to mean."""


def causal_mask(N_Q, N_K=None, device=None):
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q)
