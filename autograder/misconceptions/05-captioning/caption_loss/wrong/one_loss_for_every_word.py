"""The losses of the words are returned, not their mean."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return losses * real
