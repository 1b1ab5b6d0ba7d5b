"""squeeze takes away the batch axis when there is one picture only."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        R = (0.5 * A.mean(1).squeeze() + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return R
