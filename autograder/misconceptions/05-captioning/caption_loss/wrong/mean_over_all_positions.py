"""The losses at padding are set to 0, but the mean is taken over all positions, so the loss is the
smaller, the more padding there is. Divide by the number of real words."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return (losses * real).mean()
