"""The output is right, but the similarities e are returned in the place of the weights a. Look at
whether the second value sums to 1."""


def attend(q, X):
    e = X @ q
    y = torch.softmax(e, dim=0) @ X
    return y, e
