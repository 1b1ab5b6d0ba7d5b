"""Right versions of the captioning lesson's attention, loss, decoders and searches."""

import math
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.transformer.references import Decoder
from autograder.lessons.transformer_blocks.references import sinusoidal_positions
from course_lib import data

PAD = 0
START = 1
END = 2


def grid_features(features: Tensor) -> Tensor:
    """Return (B, D, height, width) as (B, height · width, D), row by row."""
    return features.flatten(2).transpose(1, 2)


def weights_to_grid(weights: Tensor, height: int, width: int) -> Tensor:
    """Return (..., height · width) as (..., height, width)."""
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights do not fill a grid of {height} rows and {width} columns.")
    return weights.unflatten(-1, (height, width))


def pointing(maps: Tensor, regions: Tensor, counts: Tensor) -> float:
    """Mean weight in the box of the digit that is named, over all words that name one in the captions that count."""
    words = min(maps.shape[1], regions.shape[1])
    maps, regions = maps[:, :words], regions[:, :words]
    named = regions.any(dim=(2, 3)) & counts[:, None]
    inside = (maps * regions).sum(dim=(2, 3))[named]
    return inside.mean().item() if len(inside) else 0.0


class AdditiveAttention(nn.Module):
    """e_i = vᵀ tanh(W s + U h_i) (Bahdanau et al. 2015; Xu et al. 2015, 3.1.2)."""

    def __init__(self, state_width: int, feature_width: int, hidden_width: int):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(feature_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, state: Tensor, features: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        E = self.v(torch.tanh(self.W(state)[:, None] + self.U(features)))[..., 0]
        if allowed is not None:
            E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1)
        if allowed is not None:
            weights = weights.masked_fill(~allowed, 0.0)
        return (weights[:, None] @ features)[:, 0], weights


def caption_loss(logits: Tensor, captions: Tensor, pad: int = PAD) -> Tensor:
    """Mean cross-entropy of logits[:, t] about captions[:, t + 1], over the words that are not padding."""
    targets = captions[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, reduction="none")
    real = targets != pad
    return (losses * real).sum() / real.sum().clamp(min=1)


class CaptionDecoder(nn.Module):
    """A recurrent decoder that attends to the picture before every word (Xu et al. 2015), with a GRU for the LSTM."""

    def __init__(
        self,
        vocab_size: int,
        feature_width: int,
        state_width: int = 128,
        embedding_width: int = 32,
        hidden_width: int = 64,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.attention = AdditiveAttention(state_width, feature_width, hidden_width)
        self.start = nn.Linear(feature_width, state_width)
        self.cell = nn.GRUCell(embedding_width + feature_width, state_width)
        self.output = nn.Linear(state_width + feature_width, vocab_size)

    def first_state(self, features: Tensor, allowed: Tensor | None = None) -> Tensor:
        """Return tanh(W · mean of the allowed features + b), (B, S)."""
        if allowed is None:
            return torch.tanh(self.start(features.mean(1)))
        here = allowed[..., None].to(features.dtype)
        return torch.tanh(self.start((features * here).sum(1) / here.sum(1).clamp(min=1)))

    def step(
        self, words: Tensor, state: Tensor, features: Tensor, allowed: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return (logits, new state, weights) after one more word."""
        context, weights = self.attention(state, features, allowed)
        state = self.cell(torch.cat((self.embedding(words), context), dim=1), state)
        return self.output(torch.cat((state, context), dim=1)), state, weights

    def forward(self, features: Tensor, captions: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        state = self.first_state(features, allowed)
        logits, weights = [], []
        for words in captions.T:
            word_logits, state, word_weights = self.step(words, state, features, allowed)
            logits.append(word_logits)
            weights.append(word_weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


class TableDecoder:
    """A decoder whose every step can be looked up: table[earlier word, last word] holds the next word's logits."""

    def __init__(self, table: Tensor, grows: bool = False):
        self.table, self.grows = table, grows

    def first_state(self, features: Tensor, allowed: Tensor | None = None) -> Tensor:
        """Return (B, 1), all START."""
        return torch.full((len(features), 1), START, device=features.device)

    def step(
        self, words: Tensor, state: Tensor, features: Tensor, allowed: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of the next word, the last word (or all so far) as the new state, and all weight on one cell."""
        logits = self.table[state[:, -1], words] + features.mean(dim=1)
        weights = F.one_hot(words % features.shape[1], features.shape[1]).to(features.dtype)
        return logits, torch.cat((state, words[:, None]), dim=1) if self.grows else words[:, None], weights


@torch.no_grad()
def greedy_caption(
    decoder: Any, features: Tensor, allowed: Tensor | None = None, max_length: int = 20
) -> tuple[Tensor, Tensor]:
    """Take the most probable word at every step, until every caption has ended."""
    words = torch.full((len(features),), START, device=features.device)
    state = decoder.first_state(features, allowed)
    ended = torch.zeros_like(words, dtype=torch.bool)
    captions: list[Tensor] = []
    weights: list[Tensor] = []
    while len(captions) < max_length and not ended.all():
        logits, state, word_weights = decoder.step(words, state, features, allowed)
        words = logits.argmax(dim=1).masked_fill(ended, PAD)
        ended = ended | (words == END)
        captions.append(words)
        weights.append(word_weights)
    return torch.stack(captions, dim=1), torch.stack(weights, dim=1)


def beam_search(
    decoder: CaptionDecoder | TableDecoder, features: Tensor, k: int, max_length: int = 20
) -> tuple[Tensor, float]:
    """Keep the k hypotheses with the highest sums of log-probabilities; return the finished one with the highest mean."""
    return length_normalised_search(decoder, features, k, max_length)


@torch.no_grad()
def length_normalised_search(
    decoder: Any, features: Tensor, k: int, max_length: int, power: float = 1.0
) -> tuple[Tensor, float]:
    """Keep the k hypotheses with the highest sums of log-probabilities; return the finished one with the highest score.

    The score is the sum divided by the length to a power; with 1 it is the mean.
    """
    state, total = decoder.first_state(features), torch.zeros(1, device=features.device)
    captions = torch.full((1, 1), START, device=features.device)
    best, highest = captions[0, 1:], -math.inf
    for length in range(1, max_length + 1):
        logits, state, _ = decoder.step(captions[:, -1], state, features.expand(len(captions), -1, -1))
        sums = total[:, None] + torch.log_softmax(logits, dim=-1)
        total, places = sums.flatten().topk(min(k, sums.numel()))
        rows, words = places // sums.shape[1], places % sums.shape[1]
        captions, state = torch.cat((captions[rows], words[:, None]), dim=1), state[rows]
        ended = words == END
        for caption, value in zip(captions[ended], total[ended], strict=True):
            if float(value) / length**power > highest:
                best, highest = caption[1:], float(value) / length**power
        captions, state, total = captions[~ended], state[~ended], total[~ended]
        if not len(captions):
            break
    if highest == -math.inf:
        best, highest = captions[0, 1:], float(total[0]) / max_length**power
    return best, highest


class TransformerCaptioner(nn.Module):
    """A Transformer decoder whose memory is the grid of features."""

    def __init__(
        self, vocab_size: int, feature_width: int, model_width: int = 64, num_heads: int = 4, num_blocks: int = 2
    ):
        super().__init__()
        self.features_in = nn.Linear(feature_width, model_width)
        self.embedding = nn.Embedding(vocab_size, model_width)
        self.decoder = Decoder(num_blocks, model_width, num_heads, 4 * model_width, norm="pre")
        self.output = nn.Linear(model_width, vocab_size)

    def forward(self, features: Tensor, captions: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        width = self.embedding.embedding_dim
        X = self.embedding(captions) * math.sqrt(width)
        X = X + sinusoidal_positions(captions.shape[1], width).to(X)
        hidden = None if allowed is None else allowed[:, None, None]
        Y, A = self.decoder(X, self.features_in(features), memory_allowed=hidden)
        return self.output(Y), A[-1].mean(1)


#: Names that the notebook imports from ``course_lib.layers`` and ``course_lib.data``.
layers = SimpleNamespace(Decoder=Decoder, sinusoidal_positions=sinusoidal_positions)
scene_vocabulary = data.scene_vocabulary


def my_captioner() -> CaptionDecoder:
    """Build the model of the course's own checkpoint."""
    return CaptionDecoder(len(data.scene_vocabulary()), 32, state_width=128, embedding_width=32, hidden_width=32)
