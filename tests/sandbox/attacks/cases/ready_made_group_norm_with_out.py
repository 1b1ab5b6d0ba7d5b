"""The variant of the operator below group_norm that writes into given tensors, inside a custom autograd function."""

# assignment: 03-transformer-blocks
# may earn: 2
# replaces: LayerNorm
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, eps):
        out, mean, rstd = torch.empty_like(rows), rows.new_empty(len(rows), 1), rows.new_empty(len(rows), 1)
        torch.ops.aten.native_group_norm.out(rows, None, None, *rows.shape, 1, 1, eps, out0=out, out1=mean, out2=rstd)
        ctx.save_for_backward(rows, mean, rstd)
        return out

    @staticmethod
    def backward(ctx, G):
        rows, mean, rstd = ctx.saved_tensors
        mask = [True, False, False]
        return torch.ops.aten.native_group_norm_backward(G, rows, mean, rstd, None, *rows.shape, 1, 1, mask)[0], None


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, X):
        return Norm.apply(X.reshape(-1, X.shape[-1]), self.eps).reshape(X.shape) * self.gamma + self.beta
