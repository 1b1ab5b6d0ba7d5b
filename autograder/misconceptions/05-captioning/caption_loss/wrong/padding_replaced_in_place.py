"""Padding is replaced by -100 in the caller's own captions. The next epoch then no longer finds it.
Make a new tensor."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    real = targets != pad

    targets[~real] = -100
    total = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=-100, reduction="sum")
    return total / real.sum().clamp(min=1)
