"""Calls itself for each element of the first leading dimension."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    if Q.dim() > 2:
        if allowed is None:
            masks = [None] * len(Q)
        else:
            masks = allowed.expand(*Q.shape[:-1], K.shape[-2])
        pairs = [scaled_dot_product_attention(*each) for each in zip(Q, K, V, masks)]
        outputs, weights = zip(*pairs)
        return torch.stack(outputs), torch.stack(weights)
    E = torch.mm(Q, K.t()) / math.sqrt(Q.shape[1])
    if allowed is not None:
        E = torch.where(allowed, E, -math.inf)
    A = torch.softmax(E, dim=1)
    if allowed is not None:
        A = torch.where(allowed, A, 0)
    return torch.mm(A, V), A
