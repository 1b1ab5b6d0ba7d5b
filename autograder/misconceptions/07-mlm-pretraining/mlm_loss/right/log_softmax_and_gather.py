"""By hand: log_softmax, gather, and a mask."""


def mlm_loss(logits, labels):
    real = labels.ne(-100)
    logs = F.log_softmax(logits, dim=-1)
    picked = logs.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return -(picked * real).sum() / real.sum().clamp(min=1)
