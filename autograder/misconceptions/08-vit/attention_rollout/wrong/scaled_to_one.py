"""The result is divided by its largest value. Rows sum to 1; scale when you draw."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        R = (0.5 * A.mean(1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return R / R.amax(dim=-1, keepdim=True)
