"""The keys are reshaped to (D_Q, N_K) instead of transposed, which mixes features of different
keys. Look at what view does to the order of the numbers."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    K = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    E = Q @ K / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
