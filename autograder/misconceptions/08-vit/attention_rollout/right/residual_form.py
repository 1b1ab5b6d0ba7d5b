"""The residual is written as a sum: R + A R, halved."""


def attention_rollout(weights):
    B, _, N, _ = weights[0].shape
    R = torch.eye(N, dtype=weights[0].dtype, device=weights[0].device).repeat(B, 1, 1)
    for A in weights:
        R = (R + A.mean(1) @ R) / 2
    return R
