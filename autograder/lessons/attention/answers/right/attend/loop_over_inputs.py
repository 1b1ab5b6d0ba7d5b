"""A loop over the inputs that keeps the graph."""
def attend(q, X):
    e = torch.stack([torch.dot(q, x) for x in X])
    a = torch.softmax(e, dim=0)
    y = torch.zeros_like(q)
    for weight, x in zip(a, X):
        y = y + weight * x
    return y, a
