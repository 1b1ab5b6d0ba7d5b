"""A Python number is returned, which has no gradient. Return the tensor."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad
    loss = (losses * real).sum() / real.sum().clamp(min=1)
    return loss.item()
