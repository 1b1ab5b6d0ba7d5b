"""Irrelevant items moved to the front, then a stable argsort."""


def retrieval_at_k(similarities, relevant, k):
    if not bool(relevant.any(1).all()):
        raise ValueError("each row needs a relevant item")
    front = relevant.long().argsort(dim=1, stable=True)
    moved, good = similarities.gather(1, front), relevant.gather(1, front)
    order = moved.argsort(dim=1, descending=True, stable=True)
    return float(good.gather(1, order)[:, :k].any(1).float().mean())
