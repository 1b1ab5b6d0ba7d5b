"""The losses are summed and not divided. Divide by the number of chosen tokens."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total
