"""The logits of the right words are taken for log-probabilities. The logarithm of the softmax is
missing."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    losses = F.nll_loss(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
