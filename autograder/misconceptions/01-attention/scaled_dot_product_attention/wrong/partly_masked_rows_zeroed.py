"""Every query with at least one hidden key gets zeros, not only those that may attend to nothing.
Look at the difference between any and all."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = torch.where(allowed.all(dim=-1, keepdim=True), A, 0.0)
    return A @ V, A
