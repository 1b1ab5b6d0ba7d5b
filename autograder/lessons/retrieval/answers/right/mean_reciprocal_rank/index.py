"""list.index, which raises where nothing is relevant."""


def mean_reciprocal_rank(scores, relevant):
    total = 0.0
    for row in ranked_gains(scores, relevant).tolist():
        try:
            total += 1 / (row.index(True) + 1)
        except ValueError:
            pass
    return total / len(scores)
