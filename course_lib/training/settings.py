"""The settings that determine a training, validated before it begins."""

from collections.abc import Sized
from dataclasses import asdict, dataclass
from typing import Any

import torch

from course_lib.training.schedule import DECAYS

BETTER = ("lower", "higher")


@dataclass(frozen=True)
class Settings:
    """The settings of a training, which with model, data and device determine the weights. Raises ValueError if invalid."""

    steps: int
    warmup: int
    decay: str
    clip: float | None
    validate_every: int
    patience: int | None
    better: str
    seed: int | None
    optimizer: str
    learning_rates: tuple[float, ...]  # one for each parameter group
    dtype: str  # of mixed precision, as requested

    def __post_init__(self) -> None:
        for name in ("steps", "warmup", "validate_every", "patience"):
            value = getattr(self, name)
            _expect(value is None or isinstance(value, int), f"{name} to be a whole number", value)
        _expect(self.steps >= 1, "steps to be at least 1", self.steps)
        _expect(0 <= self.warmup < self.steps, f"warmup to be from 0 to {self.steps - 1} (steps - 1)", self.warmup)
        _expect(self.decay in DECAYS, f"decay to be one of {DECAYS}", self.decay)
        _expect(self.clip is None or self.clip > 0, "clip to be above 0, or None for no clipping", self.clip)
        _expect(self.validate_every >= 1, "validate_every to be at least 1 step", self.validate_every)
        _expect(self.patience is None or self.patience >= 1, "patience to be at least 1, or None", self.patience)
        _expect(self.better in BETTER, f"better to be one of {BETTER}", self.better)

    def differences(self, saved: dict[str, Any]) -> list[str]:
        """Return a line for every setting that differs in `saved`, which comes from JSON."""
        current = asdict(self) | {"learning_rates": list(self.learning_rates)}
        return [
            f"{name}: {saved.get(name)!r} then, {current[name]!r} now"
            for name in current
            if saved.get(name) != current[name]
        ]


def _expect(fine: bool, what: str, got: object) -> None:
    if not fine:
        raise ValueError(f"Expected {what}, got {got!r}.")


#: Options of an optimiser that are no settings of a training: its parameters, rates, and choices of implementation.
_NO_SETTING = {"params", "lr", "initial_lr", "fused", "foreach", "capturable", "differentiable"}


def described(optimizer: torch.optim.Optimizer) -> str:
    """Return the optimiser's kind and options as text, such as "SGD(momentum=0.9, ...)"; one for each parameter group."""
    kind = type(optimizer).__name__
    groups = [sorted((key, group[key]) for key in group if key not in _NO_SETTING) for group in optimizer.param_groups]
    return "; ".join(f"{kind}({', '.join(f'{key}={value!r}' for key, value in options)})" for options in groups)


def count_steps(batches: object, steps: int | None, epochs: int | None) -> int:
    """Return the number of steps: `steps`, or `epochs` times the number of batches. Raises ValueError if unclear."""
    if steps is not None and epochs is None:
        return steps
    if steps is not None or epochs is None:
        raise ValueError(f"Expected either steps or epochs, got steps={steps} and epochs={epochs}. Pass one of them.")
    length = length_of(batches)
    if length is None:
        raise ValueError(
            f"Expected batches with a length, since epochs was given, got {type(batches).__name__}. Pass steps instead."
        )
    return epochs * length


def steps_between_validations(batches: object, steps: int, every: int | None) -> int:
    """Return `every` if given; otherwise one pass over the batches, or a twentieth of the steps if they have no length."""
    return every if every is not None else max(1, length_of(batches) or steps // 20)


def length_of(batches: object) -> int | None:
    """Return the number of batches in one pass, or None if it is unknown."""
    try:
        return len(batches) if isinstance(batches, Sized) else None
    except TypeError:  # a DataLoader over a stream has __len__, but no length
        return None
