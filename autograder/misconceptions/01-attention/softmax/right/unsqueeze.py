"""Reductions without keepdim, the dimension put back by unsqueeze."""


def softmax(E, dim=-1):
    shifted = E - E.max(dim).values.unsqueeze(dim)
    exponentials = shifted.exp()
    return exponentials * exponentials.sum(dim).reciprocal().unsqueeze(dim)
