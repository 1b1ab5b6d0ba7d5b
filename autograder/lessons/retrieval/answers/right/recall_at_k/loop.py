"""Plain Python over the rows of ranked_gains."""


def recall_at_k(scores, relevant, k):
    if k <= 0:
        raise ValueError(f"k = {k}")
    shares = [sum(row[:k]) / sum(row) for row in ranked_gains(scores, relevant).tolist() if any(row)]
    if not shares:
        raise ValueError("nothing is relevant")
    return sum(shares) / len(shares)
