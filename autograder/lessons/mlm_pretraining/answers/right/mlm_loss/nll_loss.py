"""F.nll_loss on the log-probabilities, with where for the empty case."""
def mlm_loss(logits, labels):
    logs = logits - logits.logsumexp(-1, keepdim=True)
    total = F.nll_loss(logs.flatten(0, 1), labels.flatten(), reduction="sum", ignore_index=-100)
    return total / torch.clamp((labels != -100).sum(), min=1)
