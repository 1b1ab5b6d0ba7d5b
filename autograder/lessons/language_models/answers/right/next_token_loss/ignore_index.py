"""Targets that do not count become -100; the sum divided by their number."""
def next_token_loss(logits, ids, documents=None, pad=None):
    targets = ids[:, 1:].clone()
    if documents is not None:
        targets[documents[:, 1:] != documents[:, :-1]] = -100
    if pad is not None:
        targets[ids[:, 1:] == pad] = -100
    total = F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="sum")
    return total / max(int((targets != -100).sum()), 1)
