"""PyTorch's own softmax, which is not forbidden."""


def softmax(E, dim=-1):
    return F.softmax(E, dim=dim)
