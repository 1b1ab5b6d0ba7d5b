"""0 / 0 is NaN, and nanmean leaves it out."""


def recall_at_k(scores, relevant, k):
    if k < 1 or relevant.sum() == 0:
        raise ValueError("Expected k of at least 1, and a relevant document.")
    found = ranked_gains(scores, relevant.double())[:, :k].sum(1)
    return float((found / relevant.double().sum(1)).nanmean())
