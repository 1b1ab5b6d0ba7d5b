"""The softmax runs over an axis of length 1, so every weight is 1 and the output is the plain sum
of the inputs. Look at the shape of the similarities and at the axis that belongs to the inputs."""


def attend(q, X):
    e = X @ q.unsqueeze(1)
    a = torch.softmax(e, dim=-1)
    y = (a * X).sum(dim=0)
    return y, a.squeeze(1)
