"""The words are shifted, but the logits at the last position are kept, so there are more
predictions than words. The last logits are about nothing."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
