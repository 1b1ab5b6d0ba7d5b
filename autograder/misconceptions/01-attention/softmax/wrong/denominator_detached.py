"""The values are right but the gradient is not: the sum in the denominator is treated as a
constant. Look at which part of the graph is cut off."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True).detach()
