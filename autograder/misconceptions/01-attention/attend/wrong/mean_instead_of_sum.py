"""The weighted inputs are averaged instead of summed, so the output is N_X times too small. Look at
what the weights already sum to."""


def attend(q, X):
    a = torch.softmax(X @ q, dim=0)
    return (a.unsqueeze(1) * X).mean(dim=0), a
