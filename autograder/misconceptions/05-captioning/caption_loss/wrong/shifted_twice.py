"""The words are shifted by two: the logits at position t are compared with the word at t + 2. One
step is enough."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 2:]
    losses = F.cross_entropy(logits[:, :-2].transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
