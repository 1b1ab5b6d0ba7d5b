"""The identity is float32, and so the result is not of the weights' dtype, or the product fails.
Take the dtype from the weights."""


def attention_rollout(weights):
    R = None
    for A in weights:
        step = (0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=torch.float64))
        R = step if R is None else step @ R
    return R
