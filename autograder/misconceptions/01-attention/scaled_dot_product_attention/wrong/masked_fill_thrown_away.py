"""The mask has no effect: keys that are not allowed get weight like any other. Look at where
allowed enters your lines, and at whether masked_fill changes a tensor or returns a new one."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    return A @ V, A
