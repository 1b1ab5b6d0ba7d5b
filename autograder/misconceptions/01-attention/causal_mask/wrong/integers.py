"""The entries are the integers 0 and 1 instead of True and False. Look at the dtype of what you
return: ~ means something else for integers."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(N_Q, N_K, dtype=torch.long, device=device)
    return torch.tril(ones, diagonal=N_K - N_Q)
