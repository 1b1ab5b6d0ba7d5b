"""With N_K > N_Q the earlier keys are hidden and only the new ones are allowed. Look at which keys
lie before the place of the first query."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    allowed = torch.zeros(N_Q, N_K, dtype=torch.bool, device=device)
    allowed[:, N_K - N_Q :] = torch.ones(N_Q, N_Q, dtype=torch.bool, device=device).tril()
    return allowed
