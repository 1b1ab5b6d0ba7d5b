"""Both parts joined into one key for all heads, and the queries scaled for a ready-made attention."""


def absorbed_attention(Q, Q_R, C, R, W_UK, W_UV):
    H, D_H, D_R, D_C = Q.shape[1], Q.shape[-1], Q_R.shape[-1], C.shape[-1]
    W_K = torch.stack(W_UK.chunk(H))
    W_V = torch.stack(W_UV.chunk(H))
    queries = torch.cat([torch.matmul(Q, W_K), Q_R], dim=-1) * math.sqrt((D_C + D_R) / (D_H + D_R))
    keys = torch.cat([C, R], dim=-1)
    allowed = causal_mask(Q.shape[-2], C.shape[-2], device=Q.device)
    latent, _ = scaled_dot_product_attention(queries, keys.unsqueeze(1), C.unsqueeze(1), allowed=allowed)
    return latent @ W_V.transpose(1, 2)
