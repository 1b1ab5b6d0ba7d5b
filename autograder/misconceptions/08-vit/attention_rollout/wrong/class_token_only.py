"""Only the row of the class token is returned. Return the whole matrix; who wants a row takes
it."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype).expand(len(weights[0]), -1, -1)
    for A in weights:
        R = (0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return R[:, 0]
