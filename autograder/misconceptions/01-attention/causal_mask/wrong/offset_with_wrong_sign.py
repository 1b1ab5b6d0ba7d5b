"""With N_K > N_Q the triangle is moved in the wrong direction, so the first queries see nothing.
Look at the sign of N_K − N_Q."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=N_Q - N_K)
