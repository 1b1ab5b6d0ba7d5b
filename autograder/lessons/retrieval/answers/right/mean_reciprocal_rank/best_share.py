"""1 / rank of all places, those of other documents made 0, and the largest."""


def mean_reciprocal_rank(scores, relevant):
    each = 1 / torch.arange(1, scores.shape[1] + 1, dtype=torch.float64)
    return float((ranked_gains(scores, relevant).double() * each).amax(dim=1).mean())
