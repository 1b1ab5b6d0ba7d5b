"""With N_K > N_Q the first query is aligned with the first key instead of the last with the last.
Look at which keys the last query may attend to."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return torch.tril(torch.ones(N_Q, N_K, dtype=torch.bool, device=device))
