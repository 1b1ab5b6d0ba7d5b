"""The tensor that was passed in is overwritten with its exponentials. Look for a call whose name
ends in an underscore."""


def softmax(E, dim=-1):
    E.sub_(E.max(dim=dim, keepdim=True).values).exp_()
    return E / E.sum(dim=dim, keepdim=True)
