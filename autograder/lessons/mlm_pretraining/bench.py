"""Time a training step of lesson 09's masked language model against Hugging Face's, and measure the trained model."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from autograder.checks.timing import AS_FAST, BenchmarkResult, Solution, step_ratio
from autograder.lessons.mlm_pretraining import references
from autograder.runtime import measure

#: (B, N, vocabulary, D, H, blocks): what the lesson trains, and something larger.
SHAPES = ((64, 19, 75, 64, 4, 2), (16, 128, 2000, 256, 8, 4))
#: Texts by which the cells that are run here are found.
CELLS = ("held_out = framed(", "def draw_batch")
SEED = "SEED, BATCH = 0,"

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("BertEncoder", "causal_mask_left_on"),)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how fast the masked language model learns, and how much."""
    yield from steps(solution)
    yield from pretraining(solution)


def steps(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield ratios: forward, loss and backward of the solution's model against BertForMaskedLM's.

    Both have the same sizes, the same dropout and one thread, as the notebook trains, and compute the logits of all places.
    What is compared is processor time, which other programs do not change.
    """
    import torch
    import transformers

    names = solution.names()
    with measure.threads(1):
        for B, N, V, D, H, blocks in SHAPES:
            torch.manual_seed(0)
            ours = names["MaskedLanguageModel"](V, D, H, blocks, N, dropout=0.1)
            config = transformers.BertConfig(
                vocab_size=V,
                hidden_size=D,
                num_hidden_layers=blocks,
                num_attention_heads=H,
                intermediate_size=4 * D,
                max_position_embeddings=N,
                hidden_dropout_prob=0.1,
                attention_probs_dropout_prob=0.1,
            )
            theirs = transformers.BertForMaskedLM(config)
            losses = _our_loss(ours, names["mlm_loss"]), _their_loss(theirs)
            batch = _maker(B, N, V)
            ratio = step_ratio(ours, losses[0], theirs, losses[1], batch, rounds=(31, 61), clock=time.process_time)
            sizes = f"(B, N, V, D, H, blocks) = {(B, N, V, D, H, blocks)}"
            name = f"masked language model: step at {sizes}"
            yield BenchmarkResult(name, ratio, AS_FAST, "of BertForMaskedLM's")


def _our_loss(model: Any, mlm_loss: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda inputs, labels: mlm_loss(model(inputs), labels)


def _their_loss(model: Any) -> Callable[[Any, Any], Any]:
    return lambda inputs, labels: model(input_ids=inputs, attention_mask=(inputs != 0).long(), labels=labels).loss


def _maker(B: int, N: int, V: int) -> Callable[[], tuple[Any, Any]]:
    """Return a function that makes a batch: a quarter of the rows is half as long as the others."""
    import torch

    generator = torch.Generator().manual_seed(0)

    def make() -> tuple[Any, Any]:
        ids = torch.randint(references.ORDINARY, V, (B, N), generator=generator)
        ids[::4, N // 2 :] = references.PAD
        return references.mask_tokens(ids, V, generator)

    return make


def pretraining(solution: Solution, seed: int = 0) -> Iterator[BenchmarkResult]:
    """Yield the figures of the language model that the notebook trains from this seed."""
    names = solution.retrain(CELLS, SEED, seed)
    yield BenchmarkResult("pretraining: minutes", names["history"].seconds / 60, 3.0, "min")
    above = names["history"].validation[-1] - names["limit"]
    yield BenchmarkResult("pretraining: loss above the limit", above, 0.05, "nats")
