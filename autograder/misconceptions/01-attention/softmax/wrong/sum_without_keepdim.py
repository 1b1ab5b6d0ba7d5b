"""The sum over dim has lost that dimension, so the division lines it up with the wrong axis or
fails. Write down the shapes of the numerator and of the denominator side by side."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim)
