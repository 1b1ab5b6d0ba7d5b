"""The mask is applied after the softmax and each row is divided by its sum, which is 0 when the
allowed weights have all been rounded to 0. Look at what happens when a hidden key has by far the
largest similarity."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    total = A.sum(dim=-1, keepdim=True)
    A = torch.where(total > 0, A / total, 0.0)
    return A @ V, A
