"""The caller's list is taken apart with pop. Go through it without changing it."""


def attention_rollout(weights):
    R = None
    while weights:
        A = weights.pop(0)
        step = 0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = step if R is None else step @ R
    return R
