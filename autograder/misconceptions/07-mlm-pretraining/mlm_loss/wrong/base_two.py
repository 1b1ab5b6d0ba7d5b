"""The logarithm is to base 2. The loss is in nats."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / math.log(2) / (labels != -100).sum().clamp(min=1)
