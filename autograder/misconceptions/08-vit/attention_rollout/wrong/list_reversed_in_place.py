"""reverse() turns the caller's list around. reversed(weights) goes through it backwards and leaves
it."""


def attention_rollout(weights):
    weights.reverse()
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        R = R @ (0.5 * A.mean(1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype))
    return R
