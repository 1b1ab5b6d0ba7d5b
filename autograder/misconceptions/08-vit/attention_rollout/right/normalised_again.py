"""Rows are divided by their sum after the identity is added, which is the same."""


def attention_rollout(weights):
    R = None
    for A in weights:
        step = A.mean(dim=1) + torch.eye(A.shape[-1], dtype=A.dtype)
        step = step / step.sum(dim=-1, keepdim=True)
        R = step if R is None else step.matmul(R)
    return R
