"""The entries are the floats 0 and 1 instead of True and False. Look at the dtype of what you
return."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return torch.tril(torch.ones(N_Q, N_K, device=device), diagonal=N_K - N_Q)
