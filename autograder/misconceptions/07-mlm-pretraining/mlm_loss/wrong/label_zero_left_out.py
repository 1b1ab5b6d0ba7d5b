"""Labels of 0 are left out as well as −100. Id 0 is an id like any other here."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels.masked_fill(labels == 0, -100), ignore_index=-100, reduction="sum")
    return total / (labels > 0).sum().clamp(min=1)
