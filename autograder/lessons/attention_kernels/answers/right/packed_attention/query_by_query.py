"""Query by query, with the first and the last key that it sees."""


def packed_attention(Q, K, V, starts_q, starts_k, causal=False):
    Y = torch.zeros(Q.shape[0], Q.shape[1], V.shape[-1], dtype=V.dtype, device=V.device)
    a, c = [int(s) for s in starts_q], [int(s) for s in starts_k]
    for text in range(len(a) - 1):
        for i in range(a[text], a[text + 1]):
            end = c[text + 1] - (a[text + 1] - 1 - i) if causal else c[text + 1]
            if end <= c[text]:
                continue
            keys = slice(c[text], end)
            weights = torch.softmax((K[:, keys] @ Q[:, i].unsqueeze(-1)).squeeze(-1) / Q.shape[-1] ** 0.5, dim=-1)
            Y[:, i] = (weights.unsqueeze(1) @ V[:, keys]).squeeze(1)
    return Y
