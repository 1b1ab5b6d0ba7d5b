"""cross_entropy is given probabilities, and takes a softmax of them once more. It wants the logits
as they are."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    probabilities = torch.softmax(logits[:, :-1], dim=-1)
    losses = F.cross_entropy(probabilities.transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
