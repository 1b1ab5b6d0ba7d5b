"""The mean of the slice is subtracted instead of its maximum, so one large entry can still
overflow. Look at how large the exponent may become after the subtraction."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.mean(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
