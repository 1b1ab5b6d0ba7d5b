"""The weights sum to 1 along the first dimension whatever dim says. Look at where dim enters each
line."""


def softmax(E, dim=-1):
    E = E - E.max(dim=0, keepdim=True).values
    exponentials = torch.exp(E)
    return exponentials / exponentials.sum(dim=0, keepdim=True)
