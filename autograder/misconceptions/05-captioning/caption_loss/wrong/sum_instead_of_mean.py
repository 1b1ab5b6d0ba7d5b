"""The losses are added up and not divided, so the loss grows with the batch. It should be their
mean."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return (losses * real).sum()
