"""Right versions of the exercises of 09-mlm-pretraining, and of the parts that the lesson provides."""

from collections.abc import Sequence
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.transformer.references import Encoder
from autograder.lessons.transformer_blocks.references import sinusoidal_positions
from course_lib.data import agreement_words

PAD = 0
CLS = 2
SEP = 3
MASK = 4
ORDINARY = 5
IGNORE = -100


def exact_limit(sentences: Tensor, probabilities: Tensor, hidden: Tensor, V: int) -> tuple[Tensor, Tensor]:
    """Return P (K, N, V), the posterior of every place by Bayes' rule, and the mean of -log P of the right words."""
    p, (K, N) = probabilities.double(), sentences.shape
    P, total = torch.zeros(K, N, V, dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    for k in range(K):
        for j in range(K):
            if torch.equal(sentences[j][~hidden], sentences[k][~hidden]):
                P[k, torch.arange(N), sentences[j]] += p[j]
        P[k] /= P[k].sum(dim=-1, keepdim=True)
        total -= p[k] * P[k, torch.arange(N), sentences[k]][hidden].log().sum()
    return P.to(probabilities.dtype), total / hidden.sum()


def mask_tokens(ids: Tensor, vocab_size: int, generator: torch.Generator, rate: float = 0.15) -> tuple[Tensor, Tensor]:
    """Choose each ordinary token with probability `rate`: 80 % become MASK, 10 % any ordinary id, 10 % stay."""
    number = torch.rand(ids.shape, generator=generator, dtype=torch.float64)
    other = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    ordinary = ids >= ORDINARY
    labels = ids.masked_fill(~(ordinary & (number < rate)), IGNORE)
    inputs = torch.where(ordinary & (number < 0.9 * rate), other, ids)
    return torch.where(ordinary & (number < 0.8 * rate), MASK, inputs), labels


def mlm_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy over the positions whose label is not IGNORE; 0 where there is none."""
    losses = F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORE, reduction="sum")
    return losses / (labels != IGNORE).sum().clamp(min=1)


def losses_by_fate(logits: Tensor, inputs: Tensor, labels: Tensor) -> dict[str, float]:
    """Mean cross-entropy of the chosen tokens that became MASK, of those that stayed and of the others; 0 where there is none."""
    logs = torch.log_softmax(logits.double(), dim=-1)
    losses = -logs.gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    hidden, same, chosen = inputs == MASK, inputs == labels, labels != IGNORE
    fates = {"hidden": hidden, "stayed": same & ~hidden, "replaced": ~hidden & ~same}
    return {name: losses[chosen & fate].mean().nan_to_num().item() for name, fate in fates.items()}


class BertEmbeddings(nn.Module):
    """Token, segment and position vectors, summed, normalised, and with dropout (Devlin et al. 2019, figure 2)."""

    def __init__(self, vocab_size: int, model_width: int, max_length: int, dropout: float = 0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, model_width)
        self.segments = nn.Embedding(2, model_width)
        self.positions = nn.Embedding(max_length, model_width)
        self.norm = nn.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        if segments is None:
            segments = torch.zeros_like(ids)
        X = self.tokens(ids) + self.segments(segments)
        return self.dropout(self.norm(X + self.positions.weight[: ids.shape[1]]))


class ReadyEncoder(Encoder):
    """The encoder with the arguments of the course's ready-made one, as far as the lesson uses them."""

    def forward(
        self, X: Tensor, allowed: Tensor | None = None, need_weights: bool = True, causal: bool = False
    ) -> tuple[Tensor, list[Tensor]]:
        if causal:
            triangle = torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).tril()
            allowed = triangle if allowed is None else allowed & triangle
        Y, weights = super().forward(X, allowed)
        return Y, weights if need_weights else []


class BertEncoder(nn.Module):
    """Embeddings and a stack of post-norm blocks in which every token sees all that are no padding."""

    def __init__(
        self,
        vocab_size: int,
        model_width: int,
        num_heads: int,
        num_blocks: int,
        max_length: int,
        dropout: float = 0.1,
        hidden_width: int | None = None,
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, model_width, max_length, dropout)
        hidden_width = hidden_width or 4 * model_width
        self.blocks = ReadyEncoder(num_blocks, model_width, num_heads, hidden_width, dropout, "post", "gelu")

    def forward(
        self, ids: Tensor, segments: Tensor | None = None, need_weights: bool = True
    ) -> tuple[Tensor, list[Tensor]]:
        return self.blocks(self.embeddings(ids, segments), (ids != 0)[:, None, None], need_weights)


class MaskedLanguageModel(nn.Module):
    """An encoder, a layer with GELU and LayerNorm, and the token vectors as output, with a bias of its own."""

    def __init__(
        self,
        vocab_size: int,
        model_width: int,
        num_heads: int,
        num_blocks: int,
        max_length: int,
        dropout: float = 0.1,
    ):
        super().__init__()
        self.encoder = BertEncoder(vocab_size, model_width, num_heads, num_blocks, max_length, dropout)
        self.transform = nn.Linear(model_width, model_width)
        self.output_norm = nn.LayerNorm(model_width)
        self.output_bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        Y, _ = self.encoder(ids, segments, need_weights=False)
        Y = self.output_norm(F.gelu(self.transform(Y)))
        return F.linear(Y, self.encoder.embeddings.tokens.weight, self.output_bias)


def sentence_pairs(
    documents: Sequence[Sequence[Sequence[int]]], generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """One pair for every sentence but the last of each document: half with the next, half with one of another document."""
    if len(documents) < 2:
        raise ValueError("The second sentence of a pair may come from another document; there has to be one.")
    rows, segments, is_next = [], [], []
    for number, document in enumerate(documents):
        others = [sentence for other in (*documents[:number], *documents[number + 1 :]) for sentence in other]
        for place in range(len(document) - 1):
            true = bool(torch.rand((), generator=generator) < 0.5)
            drawn = int(torch.randint(len(others), (), generator=generator))
            a, b = document[place], document[place + 1] if true else others[drawn]
            rows.append(torch.tensor([CLS, *a, SEP, *b, SEP]))
            segments.append(torch.tensor([0] * (len(a) + 2) + [1] * (len(b) + 1)))
            is_next.append(true)
    pad = torch.nn.utils.rnn.pad_sequence
    return pad(rows, batch_first=True), pad(segments, batch_first=True), torch.tensor(is_next)


#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(Encoder=ReadyEncoder, sinusoidal_positions=sinusoidal_positions)


def my_language_model() -> MaskedLanguageModel:
    """Build the model of the course's own checkpoint."""
    return MaskedLanguageModel(len(agreement_words()), 64, num_heads=4, num_blocks=2, max_length=19, dropout=0.0)
