"""The inputs are weighted but not summed, so there is one row for each input instead of one output.
Look at what the sum over i in the equation runs over."""


def attend(q, X):
    a = torch.softmax(X @ q, dim=0)
    return a.unsqueeze(1) * X, a
