"""The best order is the ranking whose scores are the gains."""


def ndcg_at_k(scores, gains, k):
    if k < 1 or not (gains > 0).any():
        raise ValueError("Expected k of at least 1 and a gain.")
    weights = [1 / math.log2(rank + 1) for rank in range(1, scores.shape[1] + 1)]
    values = []
    for own, best in zip(ranked_gains(scores, gains).tolist(), ranked_gains(gains.double(), gains).tolist()):
        if best[0] > 0:
            values.append(sum(g * w for g, w in zip(own[:k], weights)) / sum(g * w for g, w in zip(best[:k], weights)))
    return torch.tensor(values, dtype=torch.float64).mean()
