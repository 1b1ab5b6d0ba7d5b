"""Right versions of the model, its loss, sampling and generation, and of the parts that the lesson provides for them."""

import math
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.attention.references import causal_mask, scaled_dot_product_attention
from autograder.lessons.mlm_pretraining.references import ReadyEncoder
from autograder.lessons.multi_head_attention.references import attention_weights, merge_heads, split_heads
from autograder.lessons.transformer.references import TransformerConfig
from autograder.lessons.transformer_blocks.references import LearnedPositions
from course_lib.training import SpyLanguageModel

__all__ = ["SpyLanguageModel", "TransformerConfig"]


def packed(documents: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mask (B, 1, N, N), True within a document, and each token's position in its document (B, N)."""
    places = torch.zeros_like(documents)
    for i in range(1, documents.shape[1]):
        places[:, i] = torch.where(documents[:, i] == documents[:, i - 1], places[:, i - 1] + 1, 0)
    return (documents[:, :, None] == documents[:, None])[:, None], places


class GPT(nn.Module):
    """Token and position vectors, causal pre-norm blocks, a last LayerNorm, logits (Radford et al. 2019)."""

    def __init__(self, config: Any):
        super().__init__()
        width = config.model_width
        self.embedding = nn.Embedding(config.vocab_size, width)
        self.positions = LearnedPositions(config.max_length, width)
        self.dropout = nn.Dropout(config.dropout)
        sizes = (width, config.num_heads, config.hidden_width, config.dropout, "pre", config.activation)
        self.decoder = ReadyEncoder(config.decoder_blocks, *sizes)
        self.output = None if config.tied else nn.Linear(width, config.vocab_size, bias=False)
        layers.small_start(self, config.decoder_blocks)

    def forward(
        self, ids: Tensor, need_weights: bool = True, documents: Tensor | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """Return (logits (B, N, V), the weights (B, H, N, N) of each block; an empty list with need_weights=False)."""
        if documents is None:
            X, allowed = self.positions(self.embedding(ids)), None
        else:
            allowed, places = packed(documents)
            X = self.embedding(ids) + self.positions.table[places]
        Y, weights = self.decoder(self.dropout(X), allowed, need_weights, causal=True)
        return self.logits(Y), weights

    def logits(self, Y: Tensor) -> Tensor:
        """Return Y times the embedding, or times the output's own matrix."""
        return Y @ (self.embedding.weight if self.output is None else self.output.weight).T


def next_token_loss(logits: Tensor, ids: Tensor, documents: Tensor | None = None, pad: int | None = None) -> Tensor:
    """Mean of -log P(ids[:, i + 1]) by logits[:, i], where that token is no padding and belongs to the same document."""
    logs, targets = torch.log_softmax(logits[:, :-1], dim=-1), ids[:, 1:]
    losses = -logs.gather(-1, targets[..., None])[..., 0]
    counts = torch.ones_like(targets, dtype=torch.bool)
    if pad is not None:
        counts = counts & (targets != pad)
    if documents is not None:
        counts = counts & (documents[:, 1:] == documents[:, :-1])
    return losses.masked_fill(~counts, 0.0).sum() / counts.sum().clamp(min=1)


def perplexity_and_bits(losses: Tensor, sizes: Tensor) -> tuple[float, float]:
    """Return exp of the mean loss of a token, and the sum of all losses in bits divided by the number of bytes."""
    if losses.shape != sizes.shape or not losses.numel() or int(sizes.sum()) <= 0:
        raise ValueError(f"Expected a loss and a size for each token, got {losses.shape} and {sizes.shape}.")
    total = float(losses.double().sum())
    return math.exp(total / losses.numel()), total / math.log(2) / float(sizes.sum())


def next_probabilities(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """Return the probabilities (B, V) with which `sample` draws, row by row and token by token."""
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    P = torch.softmax(logits / temperature, dim=-1)
    mine, other = P[:, :, None], P[:, None]  # (B, V, 1) and (B, 1, V): every token beside every other
    larger = other > mine
    if top_k is not None:
        P = P.masked_fill(larger.sum(dim=-1) >= top_k, 0.0)
    P = P / P.sum(dim=-1, keepdim=True)
    if top_p is not None:
        index = torch.arange(P.shape[1])
        first = larger | ((other == mine) & (index < index[:, None]))
        P = P.masked_fill((P[:, None] * first).sum(dim=-1) >= top_p, 0.0)
    return P / P.sum(dim=-1, keepdim=True)


def sample(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Sample an id for each row of logits (B, V), after temperature, top-k and top-p, in this order."""
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError(f"Expected temperature ≥ 0, top_k ≥ 1, 0 < top_p ≤ 1, got {temperature}, {top_k}, {top_p}.")
    P = next_probabilities(logits, temperature, top_k, top_p)
    return logits.argmax(dim=-1) if temperature == 0 else torch.multinomial(P, 1, generator=generator)[:, 0]


class CachedGPT(GPT):
    """A GPT that reads on from a cache: for each block the keys and values (B, H, N, D_H) of all tokens before."""

    # It takes and returns a cache where GPT has documents and weights: derived from GPT it is for its parts, as in the exercise.
    def forward(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:  # type: ignore[override]
        """Return (logits (B, N, V) of the new tokens, the new cache)."""
        past = 0 if cache is None else cache[0][0].shape[-2]
        if past + ids.shape[1] > len(self.positions.table):
            raise ValueError(f"There are {len(self.positions.table)} positions, but {past} + {ids.shape[1]} tokens.")
        X = self.embedding(ids) + self.positions.table[past : past + ids.shape[1]]
        found: list[tuple[Tensor, Tensor]] = []
        for number, block in enumerate(_blocks(self.decoder)):
            part, Z = block.attention, block.norm_1(X)
            Q, K, V = (split_heads(W(Z), part.num_heads) for W in (part.W_Q, part.W_K, part.W_V))
            if cache is not None:
                K, V = torch.cat((cache[number][0], K), -2), torch.cat((cache[number][1], V), -2)
            A = attention_weights(Q, K, causal_mask(Q.shape[-2], K.shape[-2], X.device))
            X = X + part.W_O(merge_heads(A @ V))
            X = X + block.feed_forward(block.norm_2(X))
            found.append((K, V))
        return self.logits(self.decoder.norm(X)), found


def _blocks(stack: nn.Module) -> Any:
    return stack.blocks


@torch.no_grad()
def generate(
    model: Any,
    prompts: Tensor,
    lengths: Tensor,
    total: int,
    window: int,
    chunk: int = 64,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Return ids (B, total): each row its prompt, the first lengths[b] of prompts[b], and then the model's tokens."""
    ids, known = prompts.new_zeros(len(prompts), total), int(lengths.min())
    width = min(total, prompts.shape[1])
    ids[:, :width] = prompts[:, :width]
    cache, start, unread = None, 0, 0  # the cache holds the columns from start to unread
    for n in range(known, total):
        if n - start > window:
            cache, start, unread = None, n - window // 2, n - window // 2
        for piece in ids[:, unread:n].split(chunk, dim=1):
            logits, cache = model(piece, cache)
        unread, drawn = n, sample(logits[:, -1], temperature, top_k, top_p, generator)
        ids[:, n] = torch.where(n < lengths, ids[:, n], drawn)
    return ids


def _small_start(model: nn.Module, num_blocks: int) -> None:
    """Draw small weights: every exercise that is checked gets weights of the check's."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and not parameter.is_meta:
                parameter.normal_(
                    std=0.02 / (2 * num_blocks) ** 0.5 if name.endswith(("W_O.weight", "W_2.weight")) else 0.02
                )


#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(
    Encoder=ReadyEncoder,
    LearnedPositions=LearnedPositions,
    TransformerConfig=TransformerConfig,
    attention_weights=attention_weights,
    causal_mask=causal_mask,
    merge_heads=merge_heads,
    scaled_dot_product_attention=scaled_dot_product_attention,
    small_start=_small_start,
    split_heads=split_heads,
)
