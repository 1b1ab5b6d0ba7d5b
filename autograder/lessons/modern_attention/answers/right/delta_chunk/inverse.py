"""The inverse of the system, and one product of it with keys and values (the WY form)."""


def delta_chunk(Q, K, V, beta, S=None):
    N = K.shape[-2]
    eye = torch.eye(N, dtype=K.dtype, device=K.device)
    weighted_keys, weighted_values = K * beta.unsqueeze(-1), V * beta.unsqueeze(-1)
    system = eye + torch.tril(weighted_keys @ K.transpose(-1, -2), diagonal=-1)
    T = torch.linalg.solve_triangular(system, eye.expand_as(system), upper=False)
    written = T @ weighted_values
    if S is not None:
        written = written - (T @ weighted_keys) @ S
    A = torch.tril(Q @ K.transpose(-1, -2))
    Y, after = A @ written, K.transpose(-1, -2) @ written
    return (Y, after) if S is None else (Y + Q @ S, after + S)
