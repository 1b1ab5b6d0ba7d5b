"""The mask is multiplied by −∞ and added, so every allowed key gets 0 · ∞ = NaN. Look for a way to
choose between two values without a product."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E + (~allowed).to(E.dtype) * -torch.inf
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
