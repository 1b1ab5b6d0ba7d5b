"""The exponentials overflow when a similarity is large, and the weights become NaN. Look at the
softmax of exercise 1: what is done before the exponential?"""


def attend(q, X):
    exponentials = torch.exp(X @ q)
    a = exponentials / exponentials.sum()
    return a @ X, a
