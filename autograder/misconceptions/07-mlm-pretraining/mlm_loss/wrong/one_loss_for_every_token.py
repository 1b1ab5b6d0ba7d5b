"""A loss for every token is returned, not their mean."""


def mlm_loss(logits, labels):
    return F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
