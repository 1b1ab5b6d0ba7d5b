"""cross_entropy wants the vocabulary as the second axis. A reshape deals the numbers out anew and
mixes words and positions. Two axes have to change places."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    B, steps, V = logits[:, :-1].shape
    losses = F.cross_entropy(logits[:, :-1].reshape(B, V, steps), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
