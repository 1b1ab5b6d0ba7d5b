"""Right versions of what 10-fine-tuning asks for: the heads."""

import torch
from torch import Tensor, nn


class SequenceClassifier(nn.Module):
    """Classes of a whole sequence from the vector of its first token (Devlin et al. 2019, section 4.1)."""

    def __init__(self, model_width: int, classes: int, dropout: float = 0.1):
        super().__init__()
        self.pooler = nn.Linear(model_width, model_width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, classes)

    def forward(self, Y: Tensor) -> Tensor:
        return self.output(self.dropout(torch.tanh(self.pooler(Y[:, 0]))))


class TokenTagger(nn.Module):
    """A tag for every token (Devlin et al. 2019, section 5.3)."""

    def __init__(self, model_width: int, tags: int, dropout: float = 0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y: Tensor) -> Tensor:
        return self.output(self.dropout(Y))


class SpanHead(nn.Module):
    """Where an answer begins and where it ends (Devlin et al. 2019, section 4.2)."""

    def __init__(self, model_width: int):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        scores = self.output(Y)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., None], -torch.inf)
        return scores[..., 0], scores[..., 1]


def best_span(start: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
    """Return first and last of the span with the largest start + end, first ≤ last."""
    N = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]
    scores = scores.masked_fill(~torch.ones(N, N, dtype=torch.bool).triu(), -torch.inf)
    best = scores.flatten(1).argmax(dim=1)
    return best // N, best % N
