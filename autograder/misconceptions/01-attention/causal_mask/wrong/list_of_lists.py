"""A list of lists is returned instead of a tensor. Look at what type the attention function expects
as allowed."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    return [[j <= i + N_K - N_Q for j in range(N_K)] for i in range(N_Q)]
