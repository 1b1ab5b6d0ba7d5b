"""Time a training step of lesson 05's translator against that of torch.nn.Transformer, and measure the trained translator."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from autograder.checks.timing import BenchmarkResult, Solution, step_ratio
from autograder.runtime import measure

#: (B, N, T, D, H, blocks, hidden width): what the lesson trains, and something larger.
SHAPES = ((64, 12, 12, 64, 4, 2, 128), (16, 32, 32, 256, 8, 3, 1024))
#: At most so much of the time of PyTorch's layers, which do not return the attention weights: at the lesson's size a step is
#: made of many small operations, and writing the weights out takes four where PyTorch's fused kernel takes one.
TARGETS = (1.2, 1.0)
#: Texts by which the cells that are run here are found: the loss, the data, and the training.
CELLS = ("def loss_of", "def batches_of", "history = fit(")
SEED = "SEED, PAIRS, BATCH = 0,"

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("TransformerTranslator", "mask_missing_in_the_encoder"),)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how fast the translator learns, and how well it translates."""
    yield from steps(solution)
    yield from translator(solution)


def steps(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield ratios: a step (forward, loss, backward) of the solution's model against one built around torch.nn.Transformer.

    Both have the same sizes, embeddings, positions and masks, pre-norm blocks, one thread and no dropout. Ours computes the
    attention weights and returns them; PyTorch's does not.
    """
    import torch

    names = solution.names()
    with measure.threads(1):  # as the notebook trains
        for (B, N, T, *sizes), most in zip(SHAPES, TARGETS, strict=True):
            torch.manual_seed(0)
            ours, theirs = names["TransformerTranslator"](120, 222, *sizes), _torch_model(120, 222, *sizes)

            def batch(B: int = B, N: int = N, T: int = T) -> tuple:
                source, words = torch.randint(4, 120, (B, N)), torch.randint(4, 222, (B, T + 1))
                source[: B // 2, N - 3 :] = 0
                return source, words

            losses = _loss(ours), _loss(theirs)
            value = step_ratio(ours, losses[0], theirs, losses[1], batch, most, (31, 101), time.process_time)
            what = f"translator: a step against torch.nn.Transformer, B = {B}, T = {T}, D = {sizes[0]}"
            yield BenchmarkResult(what, value, most, "times", "lower")


def _loss(model: Any) -> Callable[..., Any]:
    from torch.nn import functional

    def loss(source: Any, words: Any) -> Any:
        logits = model(source, words[:, :-1], source != 0)[0]
        return functional.cross_entropy(logits.transpose(1, 2), words[:, 1:], ignore_index=0)

    return loss


def _torch_model(source_words: int, target_words: int, width: int, heads: int, blocks: int, hidden: int) -> Any:
    """Return a translator around torch.nn.Transformer."""
    from torch import nn

    from autograder.lessons.transformer_blocks.references import sinusoidal_positions

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.source, self.target = nn.Embedding(source_words, width), nn.Embedding(target_words, width)
            with warnings.catch_warnings():  # nested tensors are for post-norm blocks, and cannot be declined here
                warnings.filterwarnings("ignore", "enable_nested_tensor is True")
                self.inner = nn.Transformer(
                    width, heads, blocks, blocks, hidden, dropout=0.0, batch_first=True, norm_first=True
                )
            self.output = nn.Linear(width, target_words)

        def forward(self, source: Any, words: Any, allowed: Any) -> tuple:
            X = self.source(source) * width**0.5 + sinusoidal_positions(source.shape[1], width)
            Y = self.target(words) * width**0.5 + sinusoidal_positions(words.shape[1], width)
            causal = nn.Transformer.generate_square_subsequent_mask(words.shape[1], dtype=Y.dtype)
            hidden_keys = causal.new_zeros(allowed.shape).masked_fill(~allowed, float("-inf"))
            Z = self.inner(X, Y, tgt_mask=causal, src_key_padding_mask=hidden_keys, memory_key_padding_mask=hidden_keys)
            return self.output(Z), None

    return Model()


def translator(solution: Solution, seed: int = 0) -> Iterator[BenchmarkResult]:
    """Yield the figures of the translator that the notebook trains from this seed."""
    names = solution.retrain(CELLS, SEED, seed)
    yield BenchmarkResult("translator: minutes of training", names["history"].seconds / 60, 3.0, "min", "lower")
    found = judge(names["translator"], seed)
    yield BenchmarkResult("translator: exact, of the best possible", found["exact"], 0.97, "of 1000", "higher")
    yield BenchmarkResult("translator: cross-entropy above the lowest", found["gap"], 0.03, "nats per word", "lower")
    yield BenchmarkResult("translator: alignment error rate", found["errors"], 0.10, "of the pairs", "lower")


def judge(model: Any, seed: int, count: int = 1000) -> dict[str, float]:
    """Return the scores of a model on held-out sentences that only this seed draws."""
    from autograder.lessons.translation.checks import trained
    from course_lib.data import draw_pairs

    pairs = draw_pairs(count, 10**6 + seed, "held_out")
    texts = trained.translated(model, trained.source_of(pairs))
    return {
        "exact": trained.reached(pairs, texts),
        "gap": trained.gap(model, pairs),
        "errors": trained.error_rate(model, pairs),
    }
