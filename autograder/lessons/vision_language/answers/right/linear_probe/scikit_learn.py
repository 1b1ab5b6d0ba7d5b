"""Logistic regression of scikit-learn, whose C is 1 / (2 · penalty · n)."""


def linear_probe(features, labels, classes, penalty=1e-3):
    from sklearn.linear_model import LogisticRegression

    x = features.detach().numpy()
    model = LogisticRegression(C=1 / (2 * penalty * len(x)), tol=1e-8, max_iter=5000)
    if classes == 2:
        # With two classes it fits one vector w; W = (-w/2, w/2) has half the sum of squares.
        model = LogisticRegression(C=1 / (penalty * len(x)), tol=1e-8, max_iter=5000)
    model.fit(x, labels.numpy())
    W, b = torch.tensor(model.coef_.T, dtype=features.dtype), torch.tensor(model.intercept_, dtype=features.dtype)
    if classes == 2:
        W, b = torch.cat((-W / 2, W / 2), dim=1), torch.cat((-b / 2, b / 2))
    return W, b
