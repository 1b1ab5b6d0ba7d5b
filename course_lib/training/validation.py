"""Validation: a number for the current model, and the weights with the best number."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.training.batches import to_device

Loss = Callable[[nn.Module, Any], Float[Tensor, ""]]
Validate = Callable[[nn.Module], float] | Iterable[Any]


def validator(validate: Validate, loss: Loss, device: torch.device) -> Callable[[nn.Module], float]:
    """Return a function model → number: `validate` itself, or the mean of the loss over its batches.

    Raises ValueError if `validate` is neither.
    """
    if isinstance(validate, Iterable):
        held_out = validate
        return lambda model: mean_loss(model, loss, held_out, device)
    if callable(validate):
        return validate
    raise ValueError(f"Expected validate to be a function or held-out batches, got {type(validate).__name__}.")


def mean_loss(model: nn.Module, loss: Loss, batches: Iterable[Any], device: torch.device) -> float:
    """Return the mean of `loss` over `batches`, each of which counts the same. Raises ValueError if there are none."""
    values = [loss(model, to_device(batch, device)).detach() for batch in batches]
    if not values:
        raise ValueError("Expected at least one batch to validate on, got none. An iterator is used up after one pass.")
    return float(torch.stack(values).double().mean())


def measure(model: nn.Module, value_of: Callable[[nn.Module], float]) -> float:
    """Return `value_of(model)` in evaluation mode and without gradients; leave the model in training mode."""
    model.eval()
    with torch.no_grad():
        value = float(value_of(model))
    model.train()
    return value


def is_better(value: float, best: float | None, better: str) -> bool:
    """Return whether `value` is a number, and lower (higher) than `best`, or the first."""
    if math.isnan(value):
        return False
    return best is None or (value < best if better == "lower" else value > best)
