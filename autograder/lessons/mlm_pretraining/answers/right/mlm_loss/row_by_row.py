"""A loop over the rows."""
def mlm_loss(logits, labels):
    total, count = logits.sum() * 0, 0
    for row, wanted in zip(logits, labels):
        places = (wanted != -100).nonzero()[:, 0]
        if len(places):
            total = total + F.cross_entropy(row[places], wanted[places], reduction="sum")
            count += len(places)
    return total / max(count, 1)
