"""Odd: a class whose call returns the weights, and no instance."""
class softmax:
    """A class whose call gives the weights at once."""
    def __new__(cls, E, dim=-1):
        W = (E - E.max(dim, keepdim=True).values).exp()
        return W / W.sum(dim, keepdim=True)
