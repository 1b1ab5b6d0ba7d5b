"""A list in the place of the tuple; ready-made functions are named in comments only."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    # The same as F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed), but with the weights.
    # nn.MultiheadAttention reads its mask the other way round.
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return [A @ V, A]
