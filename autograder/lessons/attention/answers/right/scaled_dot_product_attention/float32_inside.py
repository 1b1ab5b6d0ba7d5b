"""bfloat16 is computed in float32 and cast back at the end."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    dtype = Q.dtype
    if dtype in (torch.bfloat16, torch.float16):
        Q, K, V = Q.float(), K.float(), V.float()
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return (A @ V).to(dtype), A.to(dtype)
