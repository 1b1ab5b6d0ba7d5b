"""The similarity is the cosine of the angle, so the lengths of q and of the inputs no longer count.
Look at the equation for e: nothing is divided by a length."""


def attend(q, X):
    e = F.cosine_similarity(X, q.unsqueeze(0), dim=1)
    a = torch.softmax(e, dim=0)
    return a @ X, a
