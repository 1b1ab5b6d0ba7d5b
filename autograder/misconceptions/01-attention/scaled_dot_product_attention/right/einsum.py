"""einsum with ellipses, nan_to_num after the softmax."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    D_Q = Q.size(-1)
    E = torch.einsum("...qd,...kd->...qk", Q, K) * D_Q**-0.5
    if allowed is not None:
        E = E.masked_fill(allowed == 0, float("-inf"))
    A = E.softmax(dim=-1).nan_to_num(nan=0.0)
    Y = torch.einsum("...qk,...kv->...qv", A, V)
    return Y, A
