"""Token by token, the state first."""


def linear_attention(Q, K, V, state=None):
    phi_Q = torch.where(Q > 0, Q + 1, torch.exp(Q.clamp(max=0)))
    phi_K = torch.where(K > 0, K + 1, torch.exp(K.clamp(max=0)))
    S, z = state if state is not None else (0, 0)
    rows = []
    for i in range(Q.shape[-2]):
        k = phi_K[..., i, :]
        S = S + k[..., None] * V[..., i, None, :]
        z = z + k
        q = phi_Q[..., i, :]
        rows.append(torch.einsum("...d,...dv->...v", q, S) / (q * z).sum(-1)[..., None])
    return torch.stack(rows, dim=-2), (S, z)
