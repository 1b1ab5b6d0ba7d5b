"""The logits are compared with the next label, as for a model that predicts the next word. Here the
answer stands at its own place."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=-100, reduction="sum")
    return total / (labels[:, 1:] != -100).sum().clamp(min=1)
