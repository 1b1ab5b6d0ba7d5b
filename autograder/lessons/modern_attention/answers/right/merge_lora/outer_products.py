"""The change as a sum of outer products."""


def merge_lora(W, A, B, alpha):
    merged = W.clone()
    for a, b in zip(A, B.mT):
        merged = merged + alpha / len(A) * b[:, None] * a[None]
    return merged
