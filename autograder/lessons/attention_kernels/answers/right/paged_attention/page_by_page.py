"""Page by page, with a running maximum and sum."""


def paged_attention(q, K_pages, V_pages, table, lengths):
    B, H, D = q.shape
    size, G = K_pages.shape[1:3]
    Y = torch.zeros(B, H, V_pages.shape[-1], dtype=q.dtype, device=q.device)
    for b in range(B):
        left = int(lengths[b])
        queries = q[b].reshape(G, -1, D) / math.sqrt(D)
        m = torch.full_like(queries[..., :1], -math.inf)
        l, S = torch.zeros_like(m), 0.0
        for page in table[b].tolist():
            if left <= 0:
                break
            keys, values = K_pages[page, :left].transpose(0, 1), V_pages[page, :left].transpose(0, 1)
            E = queries @ keys.mT
            new = torch.maximum(m, E.amax(-1, keepdim=True))
            P, shrink = torch.exp(E - new), torch.exp(m - new)
            l, S, m = shrink * l + P.sum(-1, keepdim=True), shrink * S + P @ values, new
            left -= size
        if int(lengths[b]) > 0:
            Y[b] = (S / l).reshape(H, -1)
    return Y
