"""Each head is followed on its own, and the mean is taken at the end. A token's vector holds what
all heads brought, so the mean comes in each block."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        R = (0.5 * A + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return R.mean(dim=1)
