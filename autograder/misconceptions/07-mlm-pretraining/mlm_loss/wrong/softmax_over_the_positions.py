"""The probabilities of a class sum to 1 over the positions. They have to sum to 1 over the vocabulary,
the last axis."""


def mlm_loss(logits, labels):
    real = labels != -100
    logs = F.log_softmax(logits, dim=1)
    picked = logs.gather(2, labels.clamp(min=0)[..., None])[..., 0]
    return -(picked * real).sum() / real.sum().clamp(min=1)
