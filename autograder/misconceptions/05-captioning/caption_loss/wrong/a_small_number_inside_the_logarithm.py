"""1e-9 is added to the probabilities before the logarithm. No loss can then be larger than 20.7,
and where the model is surely wrong there is no gradient. Take the logarithm and the softmax at
once."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    probabilities = torch.softmax(logits[:, :-1], dim=-1)
    losses = -torch.log(probabilities.gather(2, targets[:, :, None])[:, :, 0] + 1e-9)
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
