"""The half identity is added to the diagonal of a new tensor."""


def attention_rollout(weights):
    R = 1
    for A in weights:
        step = A.sum(dim=1) / (2 * A.size(1))
        step.diagonal(dim1=-2, dim2=-1).add_(0.5)
        R = step if isinstance(R, int) else torch.einsum('bij,bjk->bik', step, R)
    return R
