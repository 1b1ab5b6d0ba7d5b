"""More arguments with defaults, and the last axis never named but read from the end."""
def scaled_dot_product_attention(Q, K, V, allowed=None, *, scale=None, dropout=0.0, verbose=False):
    scale = 1 / math.sqrt(Q.size(-1)) if scale is None else scale
    E = torch.matmul(Q, K.transpose(-2, -1)).mul(scale)
    if allowed is not None:
        E.masked_fill_(~allowed, -torch.inf)
    A = F.dropout(E.softmax(-1), dropout)
    if allowed is not None:
        A = A * allowed.any(-1, keepdim=True).to(A.dtype) if not A.isnan().any() else A.nan_to_num()
    if verbose:
        print(A)
    return A @ V, A
