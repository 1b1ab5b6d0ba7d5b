"""A mask of 0 and −inf that is added, rows without any key cleared by where."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(K.shape[-1])
    if allowed is None:
        A = E.softmax(-1)
        return A @ V, A
    additive = torch.zeros_like(allowed, dtype=E.dtype).masked_fill(~allowed, -math.inf)
    A = torch.softmax(E + additive, -1)
    A = torch.where(allowed.any(dim=-1, keepdim=True), A, torch.zeros_like(A))
    return A @ V, A
