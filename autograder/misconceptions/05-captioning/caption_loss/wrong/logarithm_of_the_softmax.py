"""The logarithm is taken of a finished softmax. Where a probability rounds to 0, its logarithm is
−∞. Look for a function that does both at once."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    probabilities = torch.softmax(logits[:, :-1], dim=-1)
    losses = -torch.log(probabilities.gather(2, targets[:, :, None])[:, :, 0])
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
