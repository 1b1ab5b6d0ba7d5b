"""The mean runs over the tokens that ask (axis 2). The heads are axis 1."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        R = (0.5 * A.mean(2)[:, :1] + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return R
