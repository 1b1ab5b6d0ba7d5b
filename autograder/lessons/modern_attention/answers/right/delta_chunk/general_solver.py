"""torch.linalg.solve on the whole matrix, scores by einsum."""


def delta_chunk(Q, K, V, beta, S=None):
    state = torch.zeros(*K.shape[:-2], K.shape[-1], V.shape[-1], dtype=K.dtype, device=K.device) if S is None else S
    scores = torch.einsum("...id,...jd->...ij", K, K) * beta[..., :, None]
    A = torch.eye(K.shape[-2], dtype=K.dtype, device=K.device) + scores.tril(-1)
    U = torch.linalg.solve(A, beta[..., :, None] * (V - torch.einsum("...nd,...dv->...nv", K, state)))
    reads = torch.einsum("...id,...jd->...ij", Q, K).tril()
    return [torch.einsum("...nd,...dv->...nv", Q, state) + reads @ U, state + torch.einsum("...nd,...nv->...dv", K, U)]
