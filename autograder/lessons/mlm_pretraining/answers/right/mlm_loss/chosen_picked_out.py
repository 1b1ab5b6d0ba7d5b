"""The chosen positions are picked out, and without any the sum of no logits is 0."""
def mlm_loss(logits, labels):
    chosen = labels != -100
    if not chosen.any():
        return logits[chosen].sum()
    return F.cross_entropy(logits[chosen], labels[chosen])
