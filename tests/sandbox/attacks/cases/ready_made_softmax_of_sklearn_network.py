"""scikit-learn's own softmax of its networks, which stands beside the one in extmath."""

# replaces: softmax
from sklearn.neural_network._base import inplace_softmax


class Made(torch.autograd.Function):
    @staticmethod
    def forward(ctx, E, dim):
        moved = E.detach().movedim(dim, -1)
        flat = moved.reshape(-1, moved.shape[-1]).clone().numpy()
        inplace_softmax(flat)
        A = torch.from_numpy(flat).reshape(moved.shape).movedim(-1, dim)
        ctx.save_for_backward(A)
        ctx.dim = dim
        return A

    @staticmethod
    def backward(ctx, G):
        A, = ctx.saved_tensors
        return A * (G - (G * A).sum(ctx.dim, keepdim=True)), None


def softmax(E, dim=-1):
    return Made.apply(E, dim)
