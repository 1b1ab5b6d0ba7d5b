"""The probabilities that scikit-learn's multinomial loss computes in Cython."""

# replaces: softmax
import numpy as np
from sklearn._loss.loss import HalfMultinomialLoss


class Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx, E, dim):
        moved = E.detach().movedim(dim, -1)
        raw = moved.reshape(-1, moved.shape[-1]).double().numpy()
        if raw.shape[1] < 3:
            raw = np.concatenate([raw, np.full((len(raw), 3 - raw.shape[1]), -np.inf)], 1)
        loss = HalfMultinomialLoss(n_classes=raw.shape[1])
        _, proba = loss.gradient_proba(y_true=np.zeros(len(raw)), raw_prediction=np.ascontiguousarray(raw))
        A = torch.from_numpy(np.array(proba))[:, :moved.shape[-1]].reshape(moved.shape).movedim(-1, dim).to(E.dtype)
        ctx.save_for_backward(A)
        ctx.dim = dim
        return A

    @staticmethod
    def backward(ctx, G):
        A, = ctx.saved_tensors
        return A * (G - (G * A).sum(ctx.dim, keepdim=True)), None


def softmax(E, dim=-1):
    return Made.apply(E, dim)
