"""The loss of lesson 7, ready-made: each position predicts the next token."""

import torch.nn.functional as F
from torch import Tensor


def next_token_loss(logits: Tensor, ids: Tensor, documents: Tensor | None = None, pad: int | None = None) -> Tensor:
    """Return the mean of −log P(next token), one number, over all places that have a next token to predict.

    ``logits`` (B, N, V), ``ids`` (B, N). ``documents`` (B, N): a token is not predicted from another document; ``pad``: an id
    that is not predicted. Without any place that counts, the loss is 0.
    """
    targets = F.pad(ids[:, 1:], (0, 1), value=-100)
    if pad is not None:
        targets = targets.masked_fill(targets == pad, -100)
    if documents is not None:
        targets = targets.masked_fill(F.pad(documents[:, 1:] != documents[:, :-1], (0, 1), value=True), -100)
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="sum")
    return total / (targets != -100).sum().clamp(min=1)
