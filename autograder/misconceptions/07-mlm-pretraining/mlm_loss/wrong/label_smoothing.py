"""The labels are smoothed, which pretraining of BERT does not do."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="sum", label_smoothing=0.1)
    return total / (labels != -100).sum().clamp(min=1)
