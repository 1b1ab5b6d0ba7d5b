"""baddbmm with an additive mask of finfo.min, then a product with the mask."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    *lead, N_Q, D_Q = Q.shape
    N_K = K.shape[-2]
    bias = torch.zeros(*lead, N_Q, N_K, dtype=Q.dtype, device=Q.device)
    if allowed is not None:
        bias = bias.masked_fill(allowed.logical_not(), torch.finfo(Q.dtype).min)
    E = torch.baddbmm(
        bias.reshape(-1, N_Q, N_K),
        Q.reshape(-1, N_Q, D_Q),
        K.reshape(-1, N_K, D_Q).transpose(1, 2),
        beta=1,
        alpha=1 / math.sqrt(D_Q),
    )
    A = E.softmax(-1).reshape(*lead, N_Q, N_K)
    if allowed is not None:
        A = A * allowed
    return torch.matmul(A, V), A
