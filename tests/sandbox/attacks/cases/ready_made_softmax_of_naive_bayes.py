"""The probabilities of scikit-learn's naive Bayes, whose classifier normalises any scores that a subclass says it has."""

# replaces: softmax
from sklearn.naive_bayes import _BaseNB


class Scores(_BaseNB):
    classes_ = ()

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def _check_X(self, X):
        return X

    def _joint_log_likelihood(self, X):
        return X


class Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx, E, dim):
        moved = E.detach().movedim(dim, -1)
        rows = moved.reshape(-1, moved.shape[-1]).double().numpy()
        A = torch.from_numpy(Scores.predict_proba(Scores(), rows)).reshape(moved.shape).movedim(-1, dim).to(E.dtype)
        ctx.save_for_backward(A)
        ctx.dim = dim
        return A

    @staticmethod
    def backward(ctx, G):
        A, = ctx.saved_tensors
        return A * (G - (G * A).sum(ctx.dim, keepdim=True)), None


def softmax(E, dim=-1):
    return Made.apply(E, dim)
