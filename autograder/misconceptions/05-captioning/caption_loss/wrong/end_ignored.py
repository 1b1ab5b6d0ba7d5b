"""END is left out like padding, so the model never learns to stop. END is a word to be
predicted."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")

    real = (targets != pad) & (targets != END)
    return (losses * real).sum() / real.sum().clamp(min=1)
