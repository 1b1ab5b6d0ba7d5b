"""The triangle is transposed: each query may attend to its own place and to those after it. Look at
which axis belongs to the queries and at whether the first row has one True or all."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    rows = torch.arange(N_Q, device=device).unsqueeze(1) + (N_K - N_Q)
    return torch.arange(N_K, device=device) >= rows
