"""The logarithm of a softmax overflows for large logits: log 0. Use log_softmax, or F.cross_entropy."""


def mlm_loss(logits, labels):
    real = labels != -100
    logs = torch.log(torch.softmax(logits, dim=-1))
    picked = logs.gather(2, labels.clamp(min=0)[..., None])[..., 0]
    return -picked.masked_fill(~real, 0.0).sum() / real.sum().clamp(min=1)
