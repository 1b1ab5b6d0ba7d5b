"""A very small finite number as the first maximum, and hidden exponentials set to 0."""


def flash_forward(Q, K, V, block_q=16, block_k=16, causal=False):
    (*lead, N_Q, D), N_K = Q.shape, K.shape[-2]
    shift = N_K - N_Q
    lowest = torch.finfo(Q.dtype).min / 4
    Y = torch.zeros(*lead, N_Q, V.shape[-1], dtype=Q.dtype, device=Q.device)
    L = torch.zeros(*lead, N_Q, dtype=Q.dtype, device=Q.device)
    for a in range(0, N_Q, block_q):
        b = min(a + block_q, N_Q)
        m = torch.full((*lead, b - a), lowest, dtype=Q.dtype, device=Q.device)
        total = torch.zeros_like(m)
        acc = torch.zeros(*lead, b - a, V.shape[-1], dtype=Q.dtype, device=Q.device)
        end = max(0, min(N_K, b + shift)) if causal else N_K
        for c in range(0, end, block_k):
            d = min(c + block_k, end)
            scores = torch.einsum("...id,...jd->...ij", Q[..., a:b, :], K[..., c:d, :]) / D**0.5
            visible = torch.ones(b - a, d - c, dtype=torch.bool, device=Q.device)
            if causal:
                visible = visible.tril(a + shift - c)
            largest = scores.masked_fill(~visible, lowest).amax(-1)
            new = torch.maximum(m, largest)
            weights = torch.exp(scores - new[..., None]) * visible
            weights = torch.where(visible, weights, torch.zeros_like(weights))
            old = torch.exp(m - new)
            total = old * total + weights.sum(-1)
            acc = old[..., None] * acc + torch.einsum("...ij,...jd->...id", weights, V[..., c:d, :])
            m = new
        none = total == 0
        Y[..., a:b, :] = acc / total.masked_fill(none, 1.0)[..., None]
        L[..., a:b] = (m + total.log()).masked_fill(none, -math.inf)
    return Y, L
