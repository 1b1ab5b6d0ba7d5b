"""The real places picked out, and nll_loss."""
def smoothed_loss(logits, expected, smoothing=0.1, pad=PAD):
    chosen = expected != pad
    if not chosen.any():
        return logits.sum() * 0
    logs = logits[chosen].log_softmax(1)
    return (1 - smoothing) * F.nll_loss(logs, expected[chosen]) - smoothing * logs.mean()
