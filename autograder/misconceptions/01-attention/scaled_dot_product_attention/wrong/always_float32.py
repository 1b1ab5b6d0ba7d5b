"""The results are float32 whatever the dtype of the inputs. Look for a conversion, and compare the
dtype that goes in with the one that comes out."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    Q, K, V = Q.float(), K.float(), V.float()
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, -torch.inf)
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        A = A.masked_fill(~allowed, 0.0)
    return A @ V, A
