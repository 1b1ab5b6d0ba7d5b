"""One head after the other."""


def absorbed_attention(Q, Q_R, C, R, W_UK, W_UV):
    H, N, D_H = Q.shape[1:]
    hidden = torch.ones(N, C.shape[1], dtype=torch.bool, device=Q.device).triu(C.shape[1] - N + 1)
    results = []
    for h in range(H):
        own = slice(h * D_H, (h + 1) * D_H)
        scores = (Q[:, h] @ W_UK[own]) @ C.transpose(1, 2) + Q_R[:, h] @ R.transpose(1, 2)
        weights = F.softmax((scores / (D_H + Q_R.shape[-1]) ** 0.5).masked_fill(hidden, -math.inf), dim=-1)
        results.append((weights @ C) @ W_UV[own].T)
    return torch.stack(results, dim=1)
