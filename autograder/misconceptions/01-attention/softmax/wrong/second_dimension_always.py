"""The weights sum to 1 along dimension 1 whatever dim says. That is the last dimension of one
matrix, but not of a batch of matrices: look at where dim enters each line."""


def softmax(E, dim=-1):
    E = E - E.max(dim=1, keepdim=True).values
    exponentials = torch.exp(E)
    return exponentials / exponentials.sum(dim=1, keepdim=True)
