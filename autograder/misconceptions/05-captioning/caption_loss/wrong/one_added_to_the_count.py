"""1 is added to the number of words, so that nothing is divided by 0; that makes every loss too
small. Only a count of 0 needs help."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return (losses * real).sum() / (real.sum() + 1)
