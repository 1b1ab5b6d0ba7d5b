"""Learning-rate schedules: a linear warm-up, then a decay to 0 along half a cosine or a line."""

import math
from collections.abc import Sequence

import torch

DECAYS = ("cosine", "linear", "none")


def rate_factor(step: int, steps: int, warmup: int = 0, decay: str = "cosine") -> float:
    """Return the factor of the learning rate in step `step` = 0, 1, …, steps − 1: above 0 and at most 1.

    It is 1/warmup in the first step, 2/warmup in the second, and 1 in step `warmup`. After that, with x going from 0
    towards 1, it is (1 + cos πx) / 2 for "cosine", 1 − x for "linear", and 1 for "none".
    """
    if step < warmup:
        return (step + 1) / warmup
    x = (step - warmup) / (steps - warmup)
    return {"cosine": (1 + math.cos(math.pi * x)) / 2, "linear": 1 - x, "none": 1.0}[decay]


def set_rates(optimizer: torch.optim.Optimizer, rates: Sequence[float], factor: float) -> None:
    """Give each parameter group of `optimizer` its rate of `rates`, multiplied by `factor`."""
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate * factor
