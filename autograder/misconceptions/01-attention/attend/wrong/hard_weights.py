"""The most similar input gets weight 1 and all others 0, so no gradient can reach the query. Look
at the equation for a: it asks for a softmax, not for the position of the largest entry."""


def attend(q, X):
    a = F.one_hot((X @ q).argmax(), X.shape[0]).to(X.dtype)
    return a @ X, a
