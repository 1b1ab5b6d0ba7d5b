"""The logits at position t are compared with the word at t, which the model has just been given:
copying its input would be perfect. They are about the next word."""


def caption_loss(logits, captions, pad=PAD):
    losses = F.cross_entropy(logits.transpose(1, 2), captions, reduction="none")
    real = captions != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
