"""The NaN of an empty mean is replaced by 0 when it has already arisen; it is still there in the
gradients. Divide by at least 1."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad

    return torch.nan_to_num((losses / real.sum() * real).sum())
