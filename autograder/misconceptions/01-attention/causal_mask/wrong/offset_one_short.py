"""With N_K > N_Q the triangle is moved one place too little, so the last query does not see the
last key. Look at the row i = N_Q − 1 in the inequality."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    offset = max(N_K - N_Q - 1, 0)
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=offset)
