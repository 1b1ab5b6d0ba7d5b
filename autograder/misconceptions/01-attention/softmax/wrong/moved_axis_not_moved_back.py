"""The axis dim is moved to the end and not moved back, so the axes of the result are in another
order. Look at the shape of the result when dim is not the last."""


def softmax(E, dim=-1):
    E = E.movedim(dim, -1)
    exponentials = torch.exp(E - E.max(dim=-1, keepdim=True).values)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
