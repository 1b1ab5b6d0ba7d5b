"""The mean is taken at every position, and then the mean of those: the few long captions then count
more. All words of the batch weigh the same."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    means = (losses * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)
    return means.mean()
