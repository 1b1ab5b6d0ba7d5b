"""The targets are one-hot vectors, and multiplied with the log-probabilities."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]
    real = targets != pad

    one_hot = F.one_hot(targets, logits.shape[2]).to(logits) * real.unsqueeze(2)
    logs = logits[:, :-1] - logits[:, :-1].logsumexp(dim=2, keepdim=True)
    return torch.einsum("btv,btv->", one_hot, -logs).div(real.sum().clamp_min(1))
