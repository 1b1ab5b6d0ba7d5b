"""Right versions of the exercises of 08-in-context-learning, beside the GPT and the loss of lesson 07."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.language_models.reference_model import GPT, layers, next_token_loss
from autograder.lessons.transformer.references import TransformerConfig
from course_lib.data import agreement_words

__all__ = ["GPT", "TransformerConfig", "agreement_words", "layers", "next_token_loss"]

STATES = 8


class BidirectionalLanguageModel(nn.Module):
    """Two stacks of LSTMs, one for each direction, between shared embeddings and a shared output (Peters et al. 2018)."""

    def __init__(self, vocab_size: int, width: int, num_layers: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.ahead = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(num_layers))
        self.back = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(num_layers))
        self.output = nn.Linear(width, vocab_size)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of ids[:, 1:], those of ids[:, :-1], and the states of all layers, (L + 1, B, N, 2 · width)."""
        X = self.embedding(ids)
        ahead, back, states = X, X.flip(1), [torch.cat((X, X), dim=2)]
        for forward, backward in zip(self.ahead, self.back, strict=True):
            ahead, back = forward(ahead)[0], backward(back)[0]
            states.append(torch.cat((ahead, back.flip(1)), dim=2))
        return self.output(ahead[:, :-1]), self.output(back.flip(1)[:, 1:]), torch.stack(states)


def scalar_mix(states: Tensor, weights: Tensor, gamma: Tensor) -> Tensor:
    """γ Σ_j softmax(weights)_j states[j]."""
    return gamma * torch.einsum("l,l...->...", weights.softmax(0), states)


def predict_by_counts(ids: Tensor, V: int, concentration: float) -> Tensor:
    """The posterior mean of a row of the chain, under a Dirichlet prior, for every prefix (B, N, V)."""
    (B, N), rows = ids.shape, torch.arange(len(ids))
    counts = torch.full((B, V, V), float(concentration), dtype=torch.float64)
    P = torch.empty(B, N, V, dtype=torch.float64)
    for i in range(N):
        if i:
            counts[rows, ids[:, i - 1], ids[:, i]] += 1
        P[:, i] = counts[rows, ids[:, i]]
    return P / P.sum(dim=2, keepdim=True)


def induction_score(A: Tensor, ids: Tensor) -> Tensor:
    """Return the weight of each head on the tokens after earlier copies, averaged over the positions that have one."""
    earlier = (ids[:, :, None] == ids[:, None, :]).tril(-1)
    behind = F.pad(earlier, (1, -1))
    some = behind.any(dim=2)[:, None]
    found = (A * behind[:, None]).sum(dim=3) * some
    return found.sum(dim=(0, 2)) / some.sum().clamp(min=1)


def next_token_limit(sentences: Tensor, probabilities: Tensor, V: int) -> tuple[Tensor, Tensor]:
    """The exact distribution of every next token, (K, N, V), and the entropy of each place, (N,)."""
    K, N = sentences.shape
    P = torch.zeros(K, N, V, dtype=probabilities.dtype)
    for k in range(K):
        for n in range(N):
            fits = (sentences[:, :n] == sentences[k, :n]).all(dim=1)
            P[k, n].index_add_(0, sentences[fits, n], probabilities[fits])
    P = P / P.sum(dim=2, keepdim=True)
    right = P.gather(2, sentences[..., None])[..., 0]
    return P, -(probabilities @ right.log())


def decoder_config(
    vocab_size: int, model_width: int, num_heads: int, num_blocks: int, max_length: int
) -> TransformerConfig:
    """The configuration of a language model without dropout, whose feed-forward layers are four times as wide."""
    return TransformerConfig(
        kind="decoder",
        vocab_size=vocab_size,
        model_width=model_width,
        num_heads=num_heads,
        hidden_width=4 * model_width,
        decoder_blocks=num_blocks,
        max_length=max_length,
        dropout=0.0,
        activation="gelu",
    )


def my_learner(num_blocks: int = 2) -> GPT:
    """Build the model of the course's own checkpoints of section 2."""
    return GPT(decoder_config(STATES, 32, 2, num_blocks, 65))


def my_gpt() -> GPT:
    """Build the model of the course's own checkpoint of section 3."""
    return GPT(decoder_config(len(agreement_words()), 64, 4, 2, 19))


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Equation 7 of Rafailov et al. 2023, as log(1 + exp(−x)) with the larger exponent taken out."""
    if beta <= 0:
        raise ValueError(f"Expected beta > 0, got {beta}.")
    x = beta * (chosen - rejected - (reference_chosen - reference_rejected))
    return (torch.log1p(torch.exp(-x.abs())) + (-x).clamp(min=0)).mean()
