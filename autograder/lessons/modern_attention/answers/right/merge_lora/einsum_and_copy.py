"""A copy of W, to which the change is added in place; the rank is read from B."""


def merge_lora(W, A, B, alpha):
    merged = W.clone()
    merged += torch.einsum("or,ri->oi", B, A) * (alpha / B.size(1))
    return merged
