"""The largest absolute value of the slice is subtracted instead of the largest value, so a slice of
very negative entries becomes 0 / 0. Look at what is left of the largest entry after the
subtraction."""


def softmax(E, dim=-1):
    largest = E.abs().max(dim=dim, keepdim=True).values
    exponentials = torch.exp(E - largest)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
