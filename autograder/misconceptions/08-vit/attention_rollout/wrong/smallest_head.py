"""The smallest weight of all heads is taken. Take the mean over the heads."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        R = (0.5 * A.amin(1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return R
