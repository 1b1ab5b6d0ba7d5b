"""The values of hidden keys are set to 0, but their weights stay in A. Look at where the mask has
to come in for the softmax to share out all the weight."""


def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    A = torch.softmax(E, dim=-1)
    if allowed is not None:
        return (A * allowed) @ V, A
    return A @ V, A
