"""A leading dimension is added to inputs without a batch and not removed at the end. Look at the
shapes that come back for one unbatched matrix."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    if Q.dim() == 2:
        Q, K, V = Q.unsqueeze(0), K.unsqueeze(0), V.unsqueeze(0)
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
