"""N_K and device have no default, so a call with N_Q alone fails. Look at the signature in the
exercise."""


def causal_mask(N_Q, N_K, device):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q)
