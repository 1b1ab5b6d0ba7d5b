"""Speed checks, as ratios to the reference; comparison of results of measured calls; benchmark results."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from autograder.checks import expect, inputs
from autograder.checks.properties import all_of
from autograder.runtime import measure
from autograder.runtime.errors import CheckFailure, PartialCredit
from autograder.runtime.measure import Ratio
from autograder.runtime.state import tensors_of
from autograder.runtime.student import Student


@dataclass(frozen=True)
class BenchmarkResult:
    """A measured value with its target."""

    name: str
    value: float
    target: float
    unit: str
    better: str = "lower"
    parts: Mapping[str, float] = field(default_factory=dict)  # what the time went into: shares of 1

    @property
    def passed(self) -> bool:
        return self.value <= self.target if self.better == "lower" else self.value >= self.target


class Solution(Protocol):
    """A lesson's solution, as its benchmark uses it."""

    def names(self) -> dict[str, Any]:
        """Return the names that the solution defines."""

    def retrain(self, cells: Sequence[str], seed_line: str, seed: int) -> dict[str, Any]:
        """Run the exercises, then the cells that contain these texts, in an empty folder; return the names that they define.

        Cells on which these depend run before them. seed_line: the beginning of the line that sets the seed to 0; it is set to
        ``seed`` instead. Raises ValueError unless each text is in exactly one cell, and the line in exactly one of these.
        """


#: Numbers closer than this, relative to the largest, may swap places by rounding.
_TIED = 1e-4


def drawn_twice(name: str, fresh: Callable[[], tuple]) -> tuple[tuple, tuple]:
    """Return the arguments of the two calls of a memory measurement.

    Raises ValueError if both have the same numbers: an answer could cache the result of the first call.
    """
    args, other_args = fresh(), fresh()
    tensors, other_tensors = tensors_of(args), tensors_of(other_args)
    if tensors and all(torch.equal(x, y) for x, y in zip(tensors, other_tensors, strict=True)):
        raise ValueError(f"The memory of {name} should be measured with different numbers in each call of fresh().")
    return args, other_args


def same_result(got: Any, want: Any, setting: str) -> None:
    """Compare the result of a measured call: numbers up to rounding, ids and plain data exactly.

    In a pair of numbers and their ids, as torch.topk returns, ids may differ where numbers are equal up to rounding. Multiple
    tensors are compared one by one. On the device "meta", only shapes are compared.
    """
    expected_tensors = tensors_of(want)
    if expected_tensors and all(tensor.is_meta for tensor in expected_tensors):
        names = [f"result {place}" for place in range(1, len(expected_tensors) + 1)]
        values = all_of(got, names) if len(expected_tensors) > 1 else [expect.tensor(got, "Y")]
        for value, reference, name in zip(values, expected_tensors, names, strict=True):
            expect.shape(value, reference.shape, name, "as expected", setting)
        return
    if isinstance(want, tuple) and all(isinstance(item, Tensor) and item.is_floating_point() for item in want):
        names = [f"result {place}" for place in range(1, len(want) + 1)]
        for value, reference, name in zip(all_of(got, names), want, names, strict=True):
            yours, expected = _without_infinities(value, reference)
            size = float(expected.abs().nan_to_num(posinf=0.0).max()) if expected.numel() else 1.0
            expect.allclose(yours, expected, name, size=max(4.0, size), setting=setting)
        return
    if isinstance(want, tuple) and len(want) == 2 and all(isinstance(item, Tensor) for item in want):
        _same_best(expect.pair(got, "values", "ids"), want, setting)
    elif not isinstance(want, Tensor):
        inputs.equal(got, want, "The result", setting)
    elif want.is_floating_point():
        expect.allclose(expect.tensor(got, "Y"), want, "Y", size=4.0, setting=setting)
    else:
        inputs.equal(expect.tensor(got, "Y").tolist(), want.tolist(), "Y", setting)


def _without_infinities(value: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return both with zeros where both have the same infinity, as for a row without keys: infinities have no difference."""
    if value.shape != right.shape:
        return value, right
    same_infinity = right.isinf() & (value == right)
    return value.masked_fill(same_infinity, 0.0), right.masked_fill(same_infinity, 0.0)


def _same_best(actual: Sequence[Tensor], expected: Sequence[Tensor], setting: str) -> None:
    (values, ids), (right, right_ids) = actual, expected
    size = float(right.abs().max()) if right.numel() else 1.0
    expect.allclose(values, right, "values", size=4 * size, setting=setting)
    expect.shape(ids, right_ids.shape, "ids", "as expected", setting)
    near = right.diff(dim=-1).abs() <= _TIED * size
    edge = torch.ones_like(right[..., :1], dtype=torch.bool)  # nothing follows the last number to compare it with
    tied = torch.cat((near, edge), dim=-1) | torch.cat((~edge, near), dim=-1)
    inputs.equal(torch.where(tied, right_ids, ids).tolist(), right_ids.tolist(), "ids", setting)


#: Other processes change a ratio by up to a fifth, through shared caches and memory; that must not cost a point.
MARGIN = 1.2
#: The load of other processes changes within seconds, and one measurement sees only one state. A measurement that misses a target
#: by less than this factor is therefore repeated, up to so many times, and the best counts.
NEAR, AGAIN = 1.3, 4


@dataclass(frozen=True)
class SpeedTarget:
    """Limits on the time relative to the reference: up to ``full`` earns all points, up to ``part`` half of them.

    ``against`` names the reference; ``setting`` and ``hint`` are shown with a failure. ``rival``: the exercise whose reference it
    is, if that is another.
    """

    name: str
    full: float
    part: float
    against: str
    setting: str
    hint: str
    rounds: tuple[int, int] = (3, 40)
    rival: str = ""

    def check(self, student: Student, fresh: Callable[[], tuple], right: Callable[[], Any], **kwargs: Any) -> None:
        """Raise CheckFailure or PartialCredit if the student's function is too slow on the inputs that ``fresh`` draws.

        ``right`` raises CheckFailure if the result on such inputs is wrong: a fast wrong answer is wrong. It is not called for a
        hopelessly slow answer, since it may take far longer than one measurement. The lower end of the ratio's interval decides,
        so an unclear measurement counts in the student's favour.
        """
        ratio = self._measure_ratio(student, fresh, **kwargs)
        if not ratio.hopeless:
            right()
        for limit, fraction in ((self.part, 0.0), (self.full, 0.5)):
            if ratio.low > limit * MARGIN:
                raise PartialCredit(fraction, self._too_slow(ratio)) if fraction else self._too_slow(ratio)
        expect.met(self._too_slow(ratio))

    def _measure_ratio(self, student: Student, fresh: Callable[[], tuple], **kwargs: Any) -> Ratio:
        limits = (self.full * MARGIN, self.part * MARGIN)
        best = student.time_ratio(self.name, fresh, limits, self.rounds, self.rival, **kwargs)
        for _ in range(AGAIN):
            if not any(limit < best.low <= NEAR * limit for limit in limits):
                break
            again = student.time_ratio(self.name, fresh, limits, self.rounds, self.rival, **kwargs)
            best = min(best, again, key=lambda ratio: ratio.low)
        return best

    def _too_slow(self, ratio: Ratio) -> CheckFailure:
        return CheckFailure(
            "speed",
            "Correct, but too slow.",
            setting=self.setting,
            expected=f"at most {self.full} times the time of {self.against} (points are lost from {self.full * MARGIN:g} on)",
            yours=f"{ratio} times",
            received="speed",
            cause="too slow",
            hint=self.hint,
        )


Loss = Callable[..., Any]

#: Up to this ratio two steps count as equally fast: the ratio of the same two steps varies by 0.03 from run to run.
AS_FAST = 1.05


def step_ratio(
    ours: Any,
    our_loss: Loss,
    theirs: Any,
    their_loss: Loss,
    make: Callable[[], tuple],
    target: float = 1.0,
    rounds: tuple[int, int] = (11, 31),
    clock: measure.Clock = time.perf_counter,
) -> float:
    """Return the median time of a step (forward, loss and backward) of ``ours`` divided by that of ``theirs``.

    Each loss takes a fresh batch from ``make()`` and uses its model, which is in training mode. Rounds are added while it is
    unclear whether the ratio is below ``target``. With one thread, ``clock=time.process_time`` is independent of other processes.
    """
    our_step, their_step = _step(ours.train(), our_loss), _step(theirs.train(), their_loss)
    return measure.time_ratio(our_step, their_step, make, [target], rounds, clock=clock).value


def _step(model: Any, loss: Loss) -> Callable[..., None]:
    def run(*batch: Any) -> None:
        model.zero_grad()
        loss(*batch).backward()

    return run
