"""The exponential of the similarities minus their logsumexp."""


def softmax(E, dim=-1):
    return torch.exp(E - torch.logsumexp(E, dim=dim, keepdim=True))
