"""START is counted among the words that the sum is divided by, though nothing predicts it. Count
the targets, not the captions."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return (losses * real).sum() / (captions != pad).sum().clamp(min=1)
