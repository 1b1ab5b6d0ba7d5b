"""The blocks are multiplied entry by entry. Use the matrix product, @."""


def attention_rollout(weights):
    R = None
    for A in weights:
        step = 0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = step if R is None else step * R
    return R
