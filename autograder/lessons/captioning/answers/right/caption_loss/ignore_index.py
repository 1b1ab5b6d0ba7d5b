"""cross_entropy leaves out the padding itself; the sum is divided by hand."""
def caption_loss(logits, captions, pad=PAD):
    V = logits.shape[-1]
    predictions, targets = logits[:, :-1].reshape(-1, V), captions[:, 1:].reshape(-1)
    total = F.cross_entropy(predictions, targets, ignore_index=pad, reduction="sum")
    return total / max(int((targets != pad).sum()), 1)
