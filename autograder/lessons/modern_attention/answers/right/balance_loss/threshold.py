"""Choices as logits that reach the k-th largest, and probabilities written out."""


def balance_loss(logits, k=1):
    kth = logits.sort(dim=-1).values[..., -k, None]
    mine = (logits >= kth).to(logits.dtype)
    axes = tuple(range(logits.dim() - 1))
    shifted = (logits - logits.amax(dim=-1, keepdim=True)).exp()
    p = shifted / shifted.sum(dim=-1, keepdim=True)
    return logits.shape[-1] * (mine.mean(axes) / k @ p.mean(axes))
