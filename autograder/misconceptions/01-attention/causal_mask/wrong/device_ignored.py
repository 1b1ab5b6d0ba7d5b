"""The mask is made on the default device whatever device says. Look at where device enters your
lines."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return torch.tril(torch.ones(N_Q, N_K, dtype=torch.bool), diagonal=N_K - N_Q)
