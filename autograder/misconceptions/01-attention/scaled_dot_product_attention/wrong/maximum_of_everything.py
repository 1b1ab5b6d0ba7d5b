"""The largest similarity of the whole tensor is subtracted, so a row whose entries are all far
smaller becomes 0 / 0. Look at which entries one row has to be compared with."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    exponentials = torch.exp(E - E.max())
    A = exponentials / exponentials.sum(dim=-1, keepdim=True)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
