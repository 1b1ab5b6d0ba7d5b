"""A function inside for the discounted sum, called twice."""


def ndcg_at_k(scores, gains, k):
    def dcg(ordered):
        ordered = ordered[:, :k].double()
        return (ordered / torch.log2(torch.arange(ordered.shape[1]).double() + 2)).sum(dim=1)

    if k < 1:
        raise ValueError(f"k = {k}")
    ideal = dcg(gains.sort(dim=1, descending=True).values)
    keep = ideal > 0
    if not bool(keep.any()):
        raise ValueError("no gains")
    return float((dcg(ranked_gains(scores, gains))[keep] / ideal[keep]).mean())
