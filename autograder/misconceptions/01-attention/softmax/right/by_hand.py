"""Exponentials divided by their sum."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
