"""A Python loop over the queries."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    if allowed is None:
        allowed = torch.ones(N_K, dtype=torch.bool, device=Q.device)
    allowed = allowed.expand(*Q.shape[:-2], N_Q, N_K)
    outputs, weights = [], []
    for i in range(N_Q):
        e = (K @ Q[..., i, :, None])[..., 0] / math.sqrt(Q.shape[-1])
        e = e.masked_fill(~allowed[..., i, :], -math.inf)
        a = e.softmax(-1).nan_to_num(0.0)
        outputs.append((a[..., None, :] @ V)[..., 0, :])
        weights.append(a)
    return torch.stack(outputs, dim=-2), torch.stack(weights, dim=-2)
