"""The last N_Q rows of the square mask of all keys: a view, not contiguous storage of its own."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    square = torch.ones(N_K, N_K, device=device).tril() == 1
    return square[N_K - N_Q :]
