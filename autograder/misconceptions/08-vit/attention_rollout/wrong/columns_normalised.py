"""Columns are made to sum to 1. Rows do: a row says where a token's content comes from."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype)
    for A in weights:
        A = A.mean(1) + torch.eye(A.shape[-1], dtype=A.dtype)
        R = (A / A.sum(dim=1, keepdim=True)) @ R
    return R
