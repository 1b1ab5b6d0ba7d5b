"""The mean runs over the pictures (axis 0) and not over the heads (axis 1)."""


def attention_rollout(weights):
    R = None
    for A in weights:
        step = 0.5 * A.mean(dim=0) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = step if R is None else step @ R
    return R
