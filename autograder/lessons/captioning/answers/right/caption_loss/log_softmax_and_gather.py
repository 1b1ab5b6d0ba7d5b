"""log_softmax and gather, and a tiny number in the denominator."""
def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    logs = logits[:, :-1].log_softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    weights = (targets != pad).to(logits.dtype)
    return -(logs * weights).sum() / (weights.sum() + 1e-8)
