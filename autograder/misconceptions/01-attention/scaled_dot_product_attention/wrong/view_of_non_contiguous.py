"""view fails when an input is not contiguous, for example a transposed one. Look for the function
that does the same for any layout."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    lead = Q.shape[:-2]
    Q = Q.view(-1, *Q.shape[-2:])
    K = K.view(-1, *K.shape[-2:])
    V = V.view(-1, *V.shape[-2:])
    E = torch.bmm(Q, K.mT) / math.sqrt(Q.shape[-1])
    E = E.reshape(*lead, *E.shape[-2:])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    Y = torch.bmm(A.reshape(-1, *A.shape[-2:]), V)
    return Y.reshape(*lead, *Y.shape[-2:]), A
