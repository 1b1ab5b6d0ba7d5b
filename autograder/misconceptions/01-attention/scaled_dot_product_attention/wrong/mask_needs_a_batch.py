"""The mask must have as many axes as E, so a mask (N_K,) or (N_Q, N_K) fails for a batch. Look at
what broadcasting does by itself with missing leading axes."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        B, N_Q, N_K = E.shape
        allowed = allowed.reshape(B, N_Q, N_K)
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
