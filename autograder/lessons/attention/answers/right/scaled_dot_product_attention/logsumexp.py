"""The exponential of the similarities minus their logsumexp."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    total = torch.logsumexp(E, dim=-1, keepdim=True)
    total = total.masked_fill(total == -torch.inf, 0.0)
    A = torch.exp(E - total)
    return A @ V, A
