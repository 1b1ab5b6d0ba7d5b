"""The whole batch at once, with a mask for what is beyond the lengths."""


def paged_attention(q, K_pages, V_pages, table, lengths):
    B, H, D = q.shape
    size, G = K_pages.shape[1], K_pages.shape[2]
    N = table.shape[1] * size
    used = torch.arange(N, device=q.device) < lengths.to(q.device).unsqueeze(1)
    pages = table.clamp(min=0).long()
    K, V = (X[pages].reshape(B, N, G, -1).masked_fill(~used[:, :, None, None], 0.0) for X in (K_pages, V_pages))
    E = torch.einsum("bgrd,bngd->bgrn", q.reshape(B, G, H // G, D), K) / math.sqrt(D)
    E = E.masked_fill(~used[:, None, None, :], -math.inf)
    A = torch.softmax(E, -1).masked_fill(~used[:, None, None, :], 0.0)
    return torch.einsum("bgrn,bngd->bgrd", A, V).reshape(B, H, -1)
