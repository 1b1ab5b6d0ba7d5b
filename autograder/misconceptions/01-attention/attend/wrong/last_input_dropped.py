"""The last input is left out of the sum. Look at where your loop over the inputs ends."""


def attend(q, X):
    a = torch.softmax(X @ q, dim=0)
    y = torch.zeros_like(q)
    for i in range(X.shape[0] - 1):
        y = y + a[i] * X[i]
    return y, a
