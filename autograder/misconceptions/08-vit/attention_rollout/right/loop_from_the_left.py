"""One block after the other, from the left."""


def attention_rollout(weights):
    R = None
    for A in weights:
        step = (A.mean(1) + torch.eye(A.shape[-1], dtype=A.dtype, device=A.device)) / 2
        R = step if R is None else step @ R
    return R
