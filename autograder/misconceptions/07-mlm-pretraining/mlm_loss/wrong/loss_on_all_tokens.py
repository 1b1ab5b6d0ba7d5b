"""All positions count, with label 0 where there is none. Only the labels that are not −100 are to be
predicted."""


def mlm_loss(logits, labels):
    return F.cross_entropy(logits.transpose(1, 2), labels.clamp(min=0))
