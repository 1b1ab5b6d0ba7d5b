"""The submitted language models: the course's models with the submitted weights."""

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import Student, expect, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.language_models.reference_model import GPT
from autograder.lessons.transformer.references import TransformerConfig

FEW = 8  # sequences on which the student's model is compared with ours


def loaded(student: Student, name: str, file: str, ids: Tensor, V: int, *build: int) -> nn.Module:
    """Return the course's model with the submitted weights. Fail unless it agrees with the student's ``name(*build)``.

    Both are compared on a few rows of ``ids``. A student's ``forward`` could look ahead, count, or know the language; the
    course's model has only the weights.
    """
    module, some = checkpoint.load(student, name, file, *build), ids[:FEW]
    value = module(some)
    logits = expect.tensor(value[0] if isinstance(value, tuple | list) and value else value, "logits")
    expect.shape(logits, (*some.shape, V), "logits", "(B, N, V)", f"ids {tuple(some.shape)}")
    checkpoint.are_numbers(logits)
    own = modules.OwnModel(name, "a GPT", functools.partial(_candidates, V=V, places=ids.shape[1]))
    return own.like(module, {"logits": logits}, lambda model: {"logits": model(some)[0]})


def _candidates(weights: Mapping[str, Tensor], V: int, places: int) -> list[Callable[[], nn.Module]]:
    """Return how to make a GPT with the sizes of these weights, for every number of heads and both activations."""
    words, D = modules.sizes(weights, "embedding.weight", 2)
    longest, _ = modules.sizes(weights, "positions.table", 2)
    hidden, _ = modules.sizes(weights, "decoder.blocks.0.feed_forward.W_1.weight", 2)
    blocks = modules.count(weights, "decoder.blocks.{}.norm_1.gamma")
    if words != V or longest < places:
        raise modules.OtherModel(f"{words} tokens, {longest} places")
    sizes: dict[str, Any] = {"model_width": D, "hidden_width": hidden, "decoder_blocks": blocks, "max_length": longest}
    choices: dict[str, Any] = {
        "tied": "output.weight" not in weights,
        "kind": "decoder",
        "vocab_size": V,
        "dropout": 0.0,
    }
    return [
        functools.partial(GPT, TransformerConfig(**sizes, **choices, num_heads=heads, activation=activation))
        for heads in modules.possible_heads(D)
        for activation in ("gelu", "relu")
    ]


def probabilities(model: nn.Module, ids: Tensor) -> Tensor:
    """Return the model's probabilities of all next tokens, (B, N, V), in float64."""
    return modules.in_batches(lambda part: model(part)[0], ids, model=model).double().softmax(-1)


def losses(model: nn.Module, ids: Tensor) -> Tensor:
    """Return −log of the probability of each token after the first, (B, N − 1)."""
    return -probabilities(model, ids[:, :-1]).gather(2, ids[:, 1:, None])[..., 0].clamp(min=1e-300).log()


def blocks_of(model: nn.Module) -> int:
    """Return the number of blocks of a model that :func:`loaded` returned."""
    its: Any = model
    return len(its.decoder.blocks)


@torch.no_grad()
def switched_off(model: nn.Module, heads: list[tuple[int, int]]) -> nn.Module:
    """Return a copy of the model in which the outputs of these heads, (block, head), count for nothing."""
    other: Any = copy.deepcopy(model)
    for block, head in heads:
        attention = other.decoder.blocks[block].attention
        weight = attention.W_O.weight
        columns = weight.shape[1] // attention.num_heads
        weight[:, head * columns : (head + 1) * columns] = 0
    return other
