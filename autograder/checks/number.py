"""Results that are one number: a float, or a tensor that holds one."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.runtime.failure import CheckFailure, nothing_returned


def one_number(value: Any, what: str, setting: str = "") -> float:
    """Return ``value`` as a float, or fail and say what it is instead."""
    if value is None:
        raise nothing_returned()
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, float | int):
        shape = f" of shape {tuple(value.shape)}" if isinstance(value, Tensor) else ""
        raise CheckFailure(
            "type",
            f"{what} should be one number.",
            setting=setting,
            yours=f"a {type(value).__name__}{shape}",
            received=type(value).__name__,
            cause="not a float",
            hint="Everything that counts together makes one number; .item() makes it a plain float.",
        )
    return float(value)


def close_numbers(got: Mapping[str, float], want: Mapping[str, float], message: str, setting: str = "") -> None:
    """Fail unless the numbers, by name, are equal up to the rounding of float32."""
    if all(math.isclose(got[name], number, rel_tol=1e-5, abs_tol=1e-5) for name, number in want.items()):
        return
    alone = len(want) == 1
    told = [
        ", ".join(f"{numbers[name]:.4f}" if alone else f"{name} {numbers[name]:.4f}" for name in want)
        for numbers in (want, got)
    ]
    raise CheckFailure(
        "value",
        message,
        setting=setting,
        expected=told[0],
        yours=told[1],
        received=torch.tensor([got[name] for name in want], dtype=torch.float64),
        wanted=torch.tensor([want[name] for name in want], dtype=torch.float64),
    )
