"""The similarities are kept under the address of the inputs, so they are stale once the memory
holds other numbers. Look for a store that outlives the call."""

_cache = {}


def scaled_dot_product_attention(Q, K, V, allowed=None):
    key = (Q.data_ptr(), K.data_ptr(), Q.shape, K.shape, Q.dtype)
    if key not in _cache:
        _cache[key] = Q @ K.mT / math.sqrt(Q.shape[-1])
    E = _cache[key]
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
