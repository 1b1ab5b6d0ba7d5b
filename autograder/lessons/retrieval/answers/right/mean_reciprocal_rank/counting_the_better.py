"""How many other documents score at least as much as the best relevant one."""


def mean_reciprocal_rank(scores, relevant):
    scores = scores.double()
    best = scores.masked_fill(~relevant, -torch.inf).amax(dim=1, keepdim=True)
    rank = 1 + (~relevant & (scores >= best)).sum(dim=1)
    return torch.where(relevant.any(dim=1), 1.0 / rank, 0.0).mean().item()
