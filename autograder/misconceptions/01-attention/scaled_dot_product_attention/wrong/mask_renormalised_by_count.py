"""The masked weights are multiplied by N_K over the number of allowed keys instead of divided by
their sum. Look at what each row of A sums to."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        allowed = allowed.expand(A.shape)
        A = A * allowed * (A.shape[-1] / allowed.sum(dim=-1, keepdim=True).clamp(min=1))
    return A.to(V.dtype) @ V, A.to(V.dtype)
