"""N_K is taken to be N_Q, so other numbers of keys fail. Look at which of Q, K and V each size is
read from."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    N, D_Q = Q.shape[-2:]
    K = K.reshape(*Q.shape[:-2], N, D_Q)
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
