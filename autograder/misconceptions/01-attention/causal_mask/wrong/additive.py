"""The mask holds 0 and −∞, ready to be added, instead of True and False. Look at the dtype the
exercise asks for."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    fill = torch.full((N_Q, N_K), -torch.inf, device=device)
    return torch.triu(fill, diagonal=N_K - N_Q + 1)
