"""The pages laid flat, with one index for each token."""


def paged_attention(q, K_pages, V_pages, table, lengths):
    B, H, D = q.shape
    P, size, G, D_V = V_pages.shape
    K_flat, V_flat = K_pages.reshape(P * size, G, D), V_pages.reshape(P * size, G, D_V)
    rows = []
    for b in range(B):
        n = int(lengths[b])
        count = (n + size - 1) // size
        index = (table[b, :count].long()[:, None] * size + torch.arange(size, device=q.device)).reshape(-1)[:n]
        K = K_flat[index].repeat_interleave(H // G, dim=1)
        V = V_flat[index].repeat_interleave(H // G, dim=1)
        E = torch.einsum("hd,nhd->hn", q[b], K) * D**-0.5
        rows.append(torch.einsum("hn,nhd->hd", torch.softmax(E, dim=1), V))
    return torch.stack(rows)
