"""Right versions of the translation lesson's networks, losses, searches and measures."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from autograder.lessons.captioning.references import (
    END,
    PAD,
    START,
    TableDecoder,
    greedy_caption,
    length_normalised_search,
)
from autograder.lessons.transformer.references import Decoder, Encoder
from autograder.lessons.transformer_blocks.references import sinusoidal_positions
from course_lib import data
from course_lib.training import SpyBatches, SpyLoss, SpyModel, SpyOptimizer, SpyRate

__all__ = ["END", "PAD", "START", "SpyBatches", "SpyLoss", "SpyModel", "SpyOptimizer", "SpyRate", "TableDecoder"]


class RecurrentEncoder(nn.Module):
    """A GRU in both directions (Cho et al. 2014; Schuster and Paliwal 1997). Padding is never read."""

    def __init__(self, vocab_size: int, embedding_width: int, state_width: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.gru = nn.GRU(embedding_width, state_width, batch_first=True, bidirectional=True)

    def forward(self, source: Tensor, lengths: Tensor) -> Tensor:
        """Walk through each sentence by itself, so that there is no padding to be read."""
        B, N = source.shape
        H = self.embedding.weight.new_zeros(B, N, 2 * self.gru.hidden_size)
        rows = []
        for b, length in enumerate(lengths.tolist()):
            states, _ = self.gru(self.embedding(source[b : b + 1, :length]))
            rows.append(torch.cat((states[0], H[b, length:])))
        return torch.stack(rows)


class AdditiveScores(nn.Module):
    """e_{t,i} = vᵀ tanh(W s_t + U h_i) (Bahdanau et al. 2015, A.1.2)."""

    def __init__(self, state_width: int, memory_width: int, hidden_width: int):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(memory_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, states: Tensor, memory: Tensor) -> Tensor:
        return self.v(torch.tanh(self.W(states)[:, :, None] + self.U(memory)[:, None]))[..., 0]


def dot_scores(states: Tensor, memory: Tensor) -> Tensor:
    """e_{t,i} = s_tᵀ h_i (Luong et al. 2015, equation 8)."""
    if states.shape[-1] != memory.shape[-1]:
        raise ValueError(f"Expected vectors of one width, got {states.shape[-1]} and {memory.shape[-1]}.")
    return torch.einsum("btd,bnd->btn", states, memory)


class AttentionDecoder(nn.Module):
    """A GRU whose attentional state is made of its own state and of the context vector (Luong et al. 2015, section 3)."""

    def __init__(
        self,
        vocab_size: int,
        memory_width: int,
        state_width: int = 128,
        embedding_width: int = 64,
        hidden_width: int = 64,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.start = nn.Linear(memory_width, state_width)
        self.cell = nn.GRUCell(embedding_width, state_width)
        self.scores = AdditiveScores(state_width, memory_width, hidden_width)
        self.combine = nn.Linear(memory_width + state_width, state_width, bias=False)
        self.output = nn.Linear(state_width, vocab_size)

    def first_state(self, memory: Tensor, allowed: Tensor | None = None) -> Tensor:
        """Return the state before the first word, from the encoder's state at the first word: backward, it has read all words."""
        return torch.tanh(self.start(memory[:, 0]))

    def step(
        self, words: Tensor, state: Tensor, memory: Tensor, allowed: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return (logits, new state, weights) after one more word."""
        state = self.cell(self.embedding(words), state)
        E = self.scores(state[:, None], memory)[:, 0]
        if allowed is not None:
            E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1)
        context = torch.einsum("bn,bnd->bd", weights, memory)
        return self.output(torch.tanh(self.combine(torch.cat((context, state), dim=1)))), state, weights

    def forward(self, memory: Tensor, words: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        state = self.first_state(memory, allowed)
        steps = []
        for t in range(words.shape[1]):
            logits, state, weights = self.step(words[:, t], state, memory, allowed)
            steps.append((logits, weights))
        return torch.stack([one for one, _ in steps], dim=1), torch.stack([one for _, one in steps], dim=1)


def shifted_targets(translations: Tensor) -> tuple[Tensor, Tensor]:
    """Return the decoder's inputs and its targets, which are one position ahead."""
    if translations.shape[1] < 2:
        raise ValueError(f"Expected START and at least one word, got {translations.shape[1]} places.")
    return translations[:, :-1], translations[:, 1:]


def smoothed_loss(logits: Tensor, expected: Tensor, smoothing: float = 0.1, pad: int = PAD) -> Tensor:
    """Mean cross-entropy about (1 - ε) · one-hot + ε / V over the real words (Szegedy et al. 2016, section 7)."""
    logs = torch.log_softmax(logits, dim=-1)
    right = logs.gather(2, expected[..., None])[..., 0]
    losses = -(1 - smoothing) * right - smoothing * logs.mean(dim=-1)
    real = expected != pad
    return (losses * real).sum() / real.sum().clamp(min=1)


def warmup_rate(step: int, model_width: int, warmup: int = 4000) -> float:
    """D^-0.5 · min(step^-0.5, step · warmup^-1.5), Vaswani et al. (2017), equation 3."""
    if step < 1:
        raise ValueError(f"Expected steps that count from 1, got {step}.")
    return float(model_width**-0.5 * min(step**-0.5, step * warmup**-1.5))


def train(
    model: nn.Module,
    loss_of: Callable[[nn.Module, Any], Tensor],
    batches: Iterable[Any],
    make_optimizer: Callable[[Iterable[Tensor]], torch.optim.Optimizer],
    rate_of: Callable[[int], float],
    clip: float = 1.0,
) -> list[float]:
    """Take one step for every batch, and leave the model in evaluation mode."""
    optimizer = make_optimizer(model.parameters())
    losses = []
    model.train()
    for step, batch in enumerate(batches, start=1):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step)
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses


def greedy_translate(
    decoder: Any, memory: Tensor, allowed: Tensor | None = None, max_length: int = 20
) -> tuple[Tensor, Tensor]:
    """Take the most probable word at every step, until every translation has ended."""
    found: tuple[Tensor, Tensor] = greedy_caption(decoder, memory, allowed, max_length)
    return found


def beam_search(decoder: Any, memory: Tensor, k: int, max_length: int = 20, power: float = 1.0) -> tuple[Tensor, float]:
    """Keep the k hypotheses with the highest sums; return the finished one with the highest sum / length^power."""
    return length_normalised_search(decoder, memory, k, max_length, power)


def ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Count the runs of n words."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def bleu(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], longest: int = 4) -> float:
    """BLEU of a corpus (Papineni et al. 2002): clipped precisions, their geometric mean, brevity penalty."""
    matches, totals = [0] * longest, [0] * longest
    length = closest = 0
    for words, rights in zip(candidates, references, strict=True):
        length += len(words)
        closest += min((len(right) for right in rights), key=lambda n: (abs(n - len(words)), n))
        for n in range(1, longest + 1):
            found, most = ngrams(words, n), Counter[tuple[str, ...]]()
            for right in rights:
                most |= ngrams(right, n)
            matches[n - 1] += sum((found & most).values())
            totals[n - 1] += sum(found.values())
    if 0 in matches:
        return 0.0
    logs = sum(math.log(match / total) for match, total in zip(matches, totals, strict=True)) / longest
    return math.exp(logs + min(0.0, 1 - closest / length))


def alignment_error_rate(found: Tensor, sure: Tensor, possible: Tensor) -> float:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), Och and Ney (2003), equation 27."""
    if not found.shape == sure.shape == possible.shape:
        raise ValueError(f"Expected three alignments of one shape, got {found.shape}, {sure.shape}, {possible.shape}.")
    total = int(found.sum() + sure.sum())
    return 1.0 - int((found & sure).sum() + (found & possible).sum()) / total if total else 0.0


class TransformerTranslator(nn.Module):
    """The encoder-decoder of Vaswani et al. (2017) with pre-norm blocks, and an embedding for each language."""

    def __init__(
        self,
        source_words: int,
        target_words: int,
        model_width: int = 64,
        num_heads: int = 4,
        num_blocks: int = 2,
        hidden_width: int = 128,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_words, model_width)
        self.target_embedding = nn.Embedding(target_words, model_width)
        self.encoder = Encoder(num_blocks, model_width, num_heads, hidden_width, norm="pre")
        self.decoder = Decoder(num_blocks, model_width, num_heads, hidden_width, norm="pre")
        self.output = nn.Linear(model_width, target_words)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=model_width**-0.5)

    def embed(self, embedding: nn.Embedding, ids: Tensor) -> Tensor:
        """Return the embeddings, scaled, with the positions added."""
        width = embedding.embedding_dim
        X = embedding(ids) * math.sqrt(width)
        return X + sinusoidal_positions(ids.shape[1], width).to(X)

    def encode(self, source: Tensor, allowed: Tensor | None = None) -> Tensor:
        """Return the memory (B, N, D)."""
        mask = None if allowed is None else allowed[:, None, None]
        return self.encoder(self.embed(self.source_embedding, source), mask)[0]

    def decode(self, words: Tensor, memory: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (B, T, V) and the weights over the source (B, T, N), averaged over blocks and heads."""
        mask = None if allowed is None else allowed[:, None, None]
        Y, A = self.decoder(self.embed(self.target_embedding, words), memory, memory_allowed=mask)
        return self.output(Y), torch.stack(A).mean(dim=(0, 2))

    def forward(self, source: Tensor, words: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        return self.decode(words, self.encode(source, allowed), allowed)

    def first_state(self, memory: Tensor, allowed: Tensor | None = None) -> Tensor:
        """Return the state before the first word: no word (B, 0)."""
        return torch.empty(len(memory), 0, dtype=torch.int64, device=memory.device)

    def step(
        self, words: Tensor, state: Tensor, memory: Tensor, allowed: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return (logits, all words so far, weights) after one more word."""
        state = torch.cat((state, words[:, None]), dim=1)
        logits, weights = self.decode(state, memory, allowed)
        return logits[:, -1], state, weights[:, -1]


#: Names that the notebook imports from ``course_lib.layers`` and ``course_lib.data``.
layers = SimpleNamespace(Encoder=Encoder, Decoder=Decoder, sinusoidal_positions=sinusoidal_positions)
english_vocabulary = data.english_vocabulary
french_vocabulary = data.french_vocabulary
