"""The sum is divided by the number of all positions, so the loss is the smaller the fewer tokens are
chosen. Divide by the number of labels that are not −100."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / labels.numel()
