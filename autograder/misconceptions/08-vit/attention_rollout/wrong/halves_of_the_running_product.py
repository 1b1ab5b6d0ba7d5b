"""Half and half is taken of the running product and not of each block's weights with the
identity."""


def attention_rollout(weights):
    I = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    R = I
    for A in weights:
        R = 0.5 * A.mean(1) @ R + 0.5 * I
    return R
