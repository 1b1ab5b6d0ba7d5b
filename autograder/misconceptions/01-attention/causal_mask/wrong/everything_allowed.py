"""Every query may attend to every key. Look at the inequality in the equation."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
