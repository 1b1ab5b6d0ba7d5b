"""The softmax is taken twice, so the weights come out nearly uniform. Look at what already sums to
1 before your last step."""


def attend(q, X):
    a = torch.softmax(torch.softmax(X @ q, dim=0), dim=0)
    return a @ X, a
