"""The query is added to the output, a residual connection that belongs to a later lesson. Look at
the equation for y: only the inputs are summed."""


def attend(q, X):
    a = torch.softmax(X @ q, dim=0)
    return q + a @ X, a
