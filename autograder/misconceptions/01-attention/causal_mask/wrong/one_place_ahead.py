"""The triangle is one diagonal too large: each query may attend to the place after its own. Look at
whether j = i + 1 is allowed."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q + 1)
