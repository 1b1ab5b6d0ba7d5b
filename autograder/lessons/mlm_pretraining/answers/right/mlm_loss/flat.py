"""One long list of tokens."""
def mlm_loss(logits, labels):
    V = logits.shape[-1]
    losses = F.cross_entropy(logits.reshape(-1, V), labels.reshape(-1), reduction="none")
    return losses.sum() / max((labels != -100).sum().item(), 1)
