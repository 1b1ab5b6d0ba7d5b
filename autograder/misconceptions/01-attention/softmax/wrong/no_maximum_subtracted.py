"""The exponential is taken of the similarities as they are, so large ones overflow to infinity and
the weights become NaN. Look at what may be subtracted from every entry of a slice without changing
its softmax."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
