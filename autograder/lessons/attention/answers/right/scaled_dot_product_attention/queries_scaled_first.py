"""The queries are scaled first, into a new tensor of the same name."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    Q = Q * Q.shape[-1] ** -0.5
    A = Q @ K.mT
    if allowed is not None:
        A = A.masked_fill_(allowed.logical_not(), -torch.inf)
    A = A.softmax(dim=-1)
    if allowed is not None:
        A = A.masked_fill(allowed.logical_not(), 0.0)
    Y = A @ V
    return (Y, A)
