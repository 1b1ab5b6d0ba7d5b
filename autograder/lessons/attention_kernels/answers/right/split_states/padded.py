"""All splits at once: padded keys with scores of −∞."""


def split_states(q, K, V, splits):
    (H, D), (G, N, D_V) = q.shape, V.shape
    size = max(1, math.ceil(N / splits))
    extra = splits * size - N
    K, V = (F.pad(X, (0, 0, 0, extra)).reshape(G, splits, size, X.shape[-1]) for X in (K, V))
    E = torch.einsum("ghd,gsnd->sghn", q.reshape(G, H // G, D), K) / math.sqrt(D)
    hidden = (torch.arange(splits * size, device=q.device) >= N).reshape(splits, 1, 1, size)
    E = E.masked_fill(hidden, -math.inf)
    A = torch.softmax(E, dim=-1).masked_fill(hidden, 0.0)
    Y = torch.einsum("sghn,gsnd->sghd", A, V)
    return Y.reshape(splits, H, D_V), E.logsumexp(-1).reshape(splits, H)
