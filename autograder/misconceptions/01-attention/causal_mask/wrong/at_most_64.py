"""The mask is cut from a fixed square of 64, so longer sequences get a mask that is too small. Look
at where the size is to come from."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    square = torch.tril(torch.ones(64, 64, dtype=torch.bool, device=device))
    return square[N_K - N_Q : N_K, :N_K]
