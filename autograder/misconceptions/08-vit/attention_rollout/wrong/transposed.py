"""The weights are transposed: rows are the tokens that attend."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype).expand(len(weights[0]), -1, -1)
    for A in weights:
        step = (0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)).mT
        R = step @ R
    return R
