"""torch.bmm is used, which takes exactly one leading dimension. Look for the matrix product that
works with any number of them."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = torch.bmm(Q, K.transpose(-2, -1)) / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return torch.bmm(A, V), A
