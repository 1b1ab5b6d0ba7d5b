"""The largest entry gets weight 1 and all others 0, whatever the distances between them. Look at
the equation: every entry that is not −inf has a weight above 0, and a gradient."""


def softmax(E, dim=-1):
    return (E == E.max(dim=dim, keepdim=True).values).to(E.dtype)
