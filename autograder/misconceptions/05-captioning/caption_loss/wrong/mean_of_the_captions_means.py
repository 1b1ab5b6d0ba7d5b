"""Each caption's mean is taken, and then the mean of those: a word of a short caption then counts
more than one of a long caption. All words of the batch weigh the same."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    means = (losses * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return means.mean()
