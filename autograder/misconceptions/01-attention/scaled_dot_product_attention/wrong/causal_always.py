"""A causal mask is applied although none was passed, so a query never sees the keys after it. Look
at the argument allowed: only it says what is hidden."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    causal = torch.ones(E.shape[-2:], dtype=torch.bool, device=E.device).tril()
    allowed = causal if allowed is None else allowed & causal
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
