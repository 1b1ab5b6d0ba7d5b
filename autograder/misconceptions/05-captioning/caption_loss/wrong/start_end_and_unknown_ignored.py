"""Every id up to 3 is left out. Only padding is no word: END has to be learned, and so has the
unknown word."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")

    real = (targets != pad) & (targets > 3)
    return (losses * real).sum() / real.sum().clamp(min=1)
