"""The residual connection gets nine tenths. Half and half is asked for."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype).expand(len(weights[0]), -1, -1)
    for A in weights:
        step = 0.1 * A.mean(dim=1) + 0.9 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = step @ R
    return R
