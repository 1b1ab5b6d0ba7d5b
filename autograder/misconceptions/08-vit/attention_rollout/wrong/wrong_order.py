"""The blocks are multiplied in the wrong order. The last block stands on the left: its rows say
what is taken from the block before it."""


def attention_rollout(weights):
    R = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype).expand(len(weights[0]), -1, -1)
    for A in weights:
        step = 0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)
        R = R @ step
    return R
