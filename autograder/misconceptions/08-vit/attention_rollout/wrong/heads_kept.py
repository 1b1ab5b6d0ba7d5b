"""The heads are still there in the result. Take their mean first."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype).expand_as(weights[0])
    for A in weights:
        step = 0.5 * A + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = step @ R
    return R
