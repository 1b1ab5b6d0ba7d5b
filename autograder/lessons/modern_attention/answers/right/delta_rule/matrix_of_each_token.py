"""Each token multiplies the state by a matrix, which erases in the direction of the key, and adds."""


def delta_rule(Q, K, V, beta, S=None):
    D, N = K.shape[-1], K.shape[-2]
    eye = torch.eye(D, dtype=K.dtype, device=K.device)
    if S is None:
        S = torch.zeros(K.shape[:-2] + (D, V.shape[-1]), dtype=K.dtype, device=K.device)
    outputs = []
    for i in range(N):
        k = K[..., i, :]
        weighted = k * beta[..., i : i + 1]
        erase = eye - torch.einsum("...d,...e->...de", weighted, k)
        S = erase @ S + torch.einsum("...d,...v->...dv", weighted, V[..., i, :])
        outputs.append(torch.einsum("...d,...dv->...v", Q[..., i, :], S))
    return torch.stack(outputs, dim=-2), S
