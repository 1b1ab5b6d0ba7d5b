"""The mean log-probability is returned, which is to be made large. A loss is to be made small."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    logs = torch.log_softmax(logits[:, :-1], dim=-1).gather(2, targets[:, :, None])[:, :, 0]
    real = targets != pad
    return (logs * real).sum() / real.sum().clamp(min=1)
