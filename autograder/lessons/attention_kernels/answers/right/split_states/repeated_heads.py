"""Keys and values are repeated for each head of queries."""


def split_states(q, K, V, splits):
    times = len(q) // len(K)
    K, V = K.repeat_interleave(times, dim=0), V.repeat_interleave(times, dim=0)
    size = -(-K.shape[1] // splits)
    Y = q.new_zeros(splits, len(q), V.shape[-1])
    L = q.new_full((splits, len(q)), -math.inf)
    scores = torch.einsum("hd,hnd->hn", q, K) * q.shape[-1] ** -0.5
    for s in range(splits):
        part = scores[:, s * size : (s + 1) * size]
        if part.shape[1]:
            L[s] = torch.logsumexp(part, dim=1)
            Y[s] = torch.einsum("hn,hnd->hd", torch.exp(part - L[s, :, None]), V[:, s * size : (s + 1) * size])
    return Y, L
