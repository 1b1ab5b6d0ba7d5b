"""From the last block to the first, multiplied from the right."""
def attention_rollout(weights):
    N = weights[0].shape[-1]
    R = torch.eye(N).to(weights[0]).expand(len(weights[0]), N, N)
    for A in reversed(weights):
        R = R @ (0.5 * A.mean(dim=1) + 0.5 * torch.eye(N).to(A))
    return R
