"""One mean for every caption is returned. All words of the batch together make one number."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return (losses * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
