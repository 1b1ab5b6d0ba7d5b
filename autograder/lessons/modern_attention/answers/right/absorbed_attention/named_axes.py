"""Sums over named axes."""


def absorbed_attention(Q, Q_R, C, R, W_UK, W_UV):
    B, H, N, D_H = Q.shape
    W_K, W_V = (W.unflatten(0, (H, D_H)) for W in (W_UK, W_UV))
    latent = torch.einsum("bhnd,hdc->bhnc", Q, W_K)
    scores = torch.einsum("bhnc,bmc->bhnm", latent, C) + torch.einsum("bhnr,bmr->bhnm", Q_R, R)
    M = C.shape[1]
    seen = torch.arange(M, device=Q.device) <= torch.arange(M - N, M, device=Q.device)[:, None]
    A = torch.where(seen, scores * (D_H + Q_R.shape[-1]) ** -0.5, -math.inf).softmax(-1)
    return torch.einsum("bhnc,hdc->bhnd", torch.einsum("bhnm,bmc->bhnc", A, C), W_V)
