"""Only the real words are kept; without any, a zero that belongs to the logits."""
def caption_loss(logits, captions, pad=PAD):
    real = captions[:, 1:] != pad
    if not real.any():
        return 0.0 * logits.sum()
    return F.cross_entropy(logits[:, :-1][real], captions[:, 1:][real])
