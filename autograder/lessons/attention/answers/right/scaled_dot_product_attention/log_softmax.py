"""The exponential of log_softmax."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = (Q / math.sqrt(Q.shape[-1])).matmul(K.swapaxes(-1, -2))
    if allowed is not None:
        E = E.masked_fill(allowed.logical_not(), -float("inf"))
    A = F.log_softmax(E, dim=-1).exp()
    if allowed is not None:
        A = A.masked_fill(allowed.logical_not(), 0)
    return A.matmul(V), A
