"""The logits at position t + 1 are compared with the word at t, so the model learns to repeat what
it has seen. Look at which of the two loses its first column and which its last."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, :-1]
    losses = F.cross_entropy(logits[:, 1:].transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
