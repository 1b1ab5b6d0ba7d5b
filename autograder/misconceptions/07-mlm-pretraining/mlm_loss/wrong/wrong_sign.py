"""The sign is missing: the loss is −log p, and grows as the model improves."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return -total / (labels != -100).sum().clamp(min=1)
