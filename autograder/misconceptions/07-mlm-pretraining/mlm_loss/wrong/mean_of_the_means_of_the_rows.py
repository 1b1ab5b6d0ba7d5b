"""Each row's mean is taken, and then their mean: a token in a row with few masks counts more. Take one
mean over all chosen tokens of the batch."""


def mlm_loss(logits, labels):
    losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    count = (labels != -100).sum(dim=1)
    means = losses.sum(dim=1) / count.clamp(min=1)
    return means.sum() / (count > 0).sum().clamp(min=1)
