"""A Python number is returned, which has no gradient. Return the tensor."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total.item() / (labels != -100).sum().clamp(min=1).item()
