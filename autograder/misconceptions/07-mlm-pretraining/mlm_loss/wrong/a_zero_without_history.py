"""Without a chosen token a new tensor is returned, from which no gradient flows: backward() stops with
an error. Return a 0 that is computed from the logits."""


def mlm_loss(logits, labels):
    if (labels == -100).all():
        return torch.tensor(0.0, dtype=logits.dtype)
    return F.cross_entropy(logits.transpose(1, 2), labels)
