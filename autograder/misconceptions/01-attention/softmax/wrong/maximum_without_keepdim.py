"""The maximum over dim has lost that dimension, so the subtraction lines it up with the wrong axis
or fails. Write down the shapes of the two sides of the minus sign."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
