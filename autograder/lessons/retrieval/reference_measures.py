"""Right versions of the measures of a ranking, each written out query by query."""

import math

from torch import Tensor


def ranked_gains(scores: Tensor, gains: Tensor) -> Tensor:
    """The gains by falling score; of equal scores the smallest gain first."""
    first = gains.argsort(dim=1, stable=True)
    order = first.gather(1, scores.gather(1, first).argsort(dim=1, descending=True, stable=True))
    return gains.gather(1, order)


def recall_at_k(scores: Tensor, relevant: Tensor, k: int) -> float:
    """Return the share of the relevant documents among the first k, averaged over the queries that have any."""
    found = [sum(row[:k]) / sum(row) for row in ranked_gains(scores, relevant.int()).tolist() if sum(row)]
    if k < 1 or not found:
        raise ValueError(f"Expected k ≥ 1 and a query with a relevant document, got k = {k} and {len(found)} of them.")
    return sum(found) / len(found)


def mean_reciprocal_rank(scores: Tensor, relevant: Tensor) -> float:
    """1 / rank of the first relevant document, 0 without one, averaged over all queries."""
    ranked = ranked_gains(scores, relevant.int()).tolist()
    return sum(1 / (row.index(1) + 1) if 1 in row else 0.0 for row in ranked) / len(ranked)


def ndcg_at_k(scores: Tensor, gains: Tensor, k: int) -> float:
    """Σ gain / log2(rank + 1) over the first k, divided by the highest possible (Järvelin and Kekäläinen 2002)."""
    found = []
    for row in ranked_gains(scores, gains).tolist():
        own, best = (
            sum(gain / math.log2(place + 2) for place, gain in enumerate(line[:k]))
            for line in (row, sorted(row, reverse=True))
        )
        if best:
            found.append(own / best)
    if k < 1 or not found:
        raise ValueError(f"Expected k ≥ 1 and a query with a gain, got k = {k} and {len(found)} of them.")
    return sum(found) / len(found)
