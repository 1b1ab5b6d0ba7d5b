"""The softmax runs over the positions, not over the vocabulary. At every position the words of the
vocabulary share the probability."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    logs = torch.log_softmax(logits[:, :-1], dim=1)
    losses = F.nll_loss(logs.transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
