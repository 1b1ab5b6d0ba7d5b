"""Running maximum, sum and weighted values of each block of queries."""


def block_sparse_attention(Q, K, V, allowed, kinds, block_q, block_k):
    rows = []
    for a, (q, mask) in enumerate(zip(Q.split(block_q, 0), allowed.split(block_q, 0))):
        m = torch.full((len(q), 1), -math.inf, dtype=Q.dtype, device=Q.device)
        l = torch.zeros_like(m)
        S = torch.zeros(len(q), V.shape[-1], dtype=V.dtype, device=V.device)
        for b, (k, v, tile) in enumerate(zip(K.split(block_k, 0), V.split(block_k, 0), mask.split(block_k, 1))):
            kind = int(kinds[a, b])
            if kind == 0:
                continue
            E = q @ k.mT * Q.shape[-1] ** -0.5
            if kind == 1:
                E = torch.where(tile, E, -math.inf)
            new = torch.maximum(m, E.amax(1, keepdim=True))
            base = torch.where(new > -math.inf, new, torch.zeros_like(new))
            P, shrink = (E - base).exp(), (m - base).exp()
            l, S, m = shrink * l + P.sum(1, keepdim=True), shrink * S + P @ v, new
        rows.append(S / l.masked_fill(l == 0, 1.0))
    return torch.cat(rows, 0)
