"""reduce over stacked blocks."""
def attention_rollout(weights):
    from functools import reduce

    A = torch.stack(list(weights)).mean(dim=2)
    A = 0.5 * A + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    return reduce(lambda R, step: torch.bmm(step, R), A)
