"""The similarities are divided by D_Q. Look at the equation of this exercise: the plain dot product
is asked for."""


def attend(q, X):
    e = X @ q / X.shape[1]
    a = torch.softmax(e, dim=0)
    return a @ X, a
