"""A position is skipped when its own word is padding, not when the next one is. So END's position
still predicts padding. Look at which word is predicted."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")

    real = captions[:, :-1] != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
