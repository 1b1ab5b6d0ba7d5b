"""Everything is computed in float64 and cast back at the end."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    queries, keys, values = (tensor.double() for tensor in (Q, K, V))
    E = queries @ keys.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.nan_to_num(torch.softmax(E, dim=-1), nan=0.0)
    return (A @ values).to(Q.dtype), A.to(Q.dtype)
