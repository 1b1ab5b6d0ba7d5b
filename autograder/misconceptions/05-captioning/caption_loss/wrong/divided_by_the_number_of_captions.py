"""The sum is divided by the number of captions, so long captions make a large loss. Divide by the
number of real words."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return (losses * real).sum() / len(captions)
