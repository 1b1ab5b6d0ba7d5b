"""Padding is taken to be 0, whatever the argument pad says."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")

    real = targets != 0
    return (losses * real).sum() / real.sum().clamp(min=1)
