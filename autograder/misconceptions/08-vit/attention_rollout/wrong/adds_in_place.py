"""The identity is added to the caller's weights, in place. Make a new tensor."""


def attention_rollout(weights):
    R = None
    for A in weights:
        A += torch.eye(A.shape[-1], dtype=A.dtype)
        step = A.mean(dim=1) / 2
        R = step if R is None else step @ R
    return R
