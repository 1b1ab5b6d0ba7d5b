"""The exponentials are divided by their mean instead of by their sum, so the weights of a slice sum
to its number of entries. Look at the denominator in the equation."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.mean(dim=dim, keepdim=True)
