"""The sum of the losses, divided by a count that is never 0."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
