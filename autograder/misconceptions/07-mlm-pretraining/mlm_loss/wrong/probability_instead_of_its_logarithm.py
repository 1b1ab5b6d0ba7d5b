"""The mean of 1 − p is returned, not of −log p. Its gradient vanishes where the model is wrong and
sure."""


def mlm_loss(logits, labels):
    real = labels != -100
    picked = logits.softmax(-1).gather(2, labels.clamp(min=0)[..., None])[..., 0]
    return ((1 - picked) * real).sum() / real.sum().clamp(min=1)
