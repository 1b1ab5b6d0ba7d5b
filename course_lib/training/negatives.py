"""The loss of lesson 13, ready-made: the negatives of a pair are the documents of the other pairs in the batch."""

import torch
import torch.nn.functional as F
from torch import Tensor


def in_batch_loss(queries: Tensor, documents: Tensor, ids: Tensor, log_frequency: Tensor | None = None) -> Tensor:
    """Return the mean over the queries (B, D) of -log softmax of their own document among documents (M, D): one number.

    Row b of documents is the right one of query b; ``ids`` (M,) says which document each row is. A row with the id of a
    query's own document, but in another place, is left out. ``log_frequency`` (M,) is subtracted from the similarities.
    """
    logits = queries @ documents.T
    if log_frequency is not None:
        logits = logits - log_frequency
    own = torch.arange(len(queries), device=ids.device)
    hits = ids[own, None] == ids
    hits[own, own] = False
    return F.cross_entropy(logits.masked_fill(hits, -torch.inf), own)
