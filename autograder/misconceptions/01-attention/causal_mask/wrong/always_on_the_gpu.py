"""The mask is put on a GPU whatever device says. Look at what happens on a computer without one."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return torch.tril(torch.ones(N_Q, N_K, dtype=torch.bool).cuda(), diagonal=N_K - N_Q)
