"""The largest weight of all heads is taken. Take the mean over the heads."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype).expand(len(weights[0]), -1, -1)
    for A in weights:
        step = 0.5 * A.amax(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = step @ R
    return R
