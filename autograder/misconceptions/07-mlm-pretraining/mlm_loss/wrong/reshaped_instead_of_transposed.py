"""The logits are reshaped to (B, V, N) where they have to be transposed: reshape cuts the memory in
other pieces. Swap the two axes."""


def mlm_loss(logits, labels):
    total = F.cross_entropy(logits.reshape(len(logits), logits.shape[2], -1), labels, ignore_index=-100, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
