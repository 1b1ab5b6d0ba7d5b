"""warmup_rate(step, model_width, warmup=4000)."""

import math

import torch

from autograder.checks import CheckFailure, Draw, Student, exercise, points, raises_value_error

NAME = "warmup_rate"


def _want(step, model_width, warmup=4000):
    """The two branches by themselves: a straight line up to the highest rate, then its fall."""
    highest = 1 / math.sqrt(model_width * warmup)
    return highest * step / warmup if step <= warmup else highest * math.sqrt(warmup / step)


def _agree(student: Student, step, model_width, *warmup):
    setting = f"step {step}, model_width {model_width}, warmup {warmup[0] if warmup else 'left out (4000)'}"
    got = student.warmup_rate(step, model_width, *warmup)
    if isinstance(got, bool) or not isinstance(got, float):
        raise CheckFailure(
            "type",
            "The rate should be one float.",
            setting=setting,
            yours=f"a {type(got).__name__}",
            received=type(got).__name__,
            cause="not a float",
            hint="Optimisers want a plain number.",
        )
    want = _want(step, model_width, *warmup)
    if not math.isclose(got, want, rel_tol=1e-9):
        raise CheckFailure(
            "value",
            "The rate is wrong.",
            setting=setting,
            expected=f"{want:.6g}",
            yours=f"{got:.6g}",
            received=torch.tensor([got], dtype=torch.float64),
            wanted=torch.tensor([want], dtype=torch.float64),
        )


@exercise(NAME)
@points(1)
def check_warmup(student: Student, draw: Draw) -> None:
    """Up to step `warmup` the rate rises in a straight line; step 1 has the first piece of it"""
    for step, width, warmup in (
        (1, 1, 1),
        (1, 4, 10),
        (2, 4, 10),
        (10, 4, 10),
        (9, 64, 10),
        (400, 512, 4000),
        (3, 7, 3),
    ):
        _agree(student, step, width, warmup)
    warmup = 20 + int(draw.integers(1000))
    _agree(student, 1 + int(draw.integers(warmup)), 3 + int(draw.integers(900)), warmup)


@exercise(NAME)
@points(1)
def check_decay(student: Student, draw: Draw) -> None:
    """After it, the rate falls as 1 / √step, from the same highest rate"""
    for step, width, warmup in ((2, 1, 1), (4, 4, 1), (11, 4, 10), (1000, 4, 10), (100_000, 512, 4000)):
        _agree(student, step, width, warmup)
    warmup = 20 + int(draw.integers(1000))
    _agree(student, warmup + 1 + int(draw.integers(10_000)), 3 + int(draw.integers(900)), warmup)


@exercise(NAME)
@points(1)
def check_width_and_default(student: Student, draw: Draw) -> None:
    """Four times the width has half the rate, at every step; warmup is 4000 unless it is given"""
    for step in (1, 3999, 4000, 4001, 16_000):
        for width in (128, 512):
            _agree(student, step, width)


@exercise(NAME)
@points(1)
def check_steps_count_from_one(student: Student) -> None:
    """Step 0 and negative steps raise a ValueError"""
    for step in (0, -1, -4000):
        raises_value_error(
            f"Step {step}",
            "Look at the step first, and raise a ValueError that says what was expected.",
            student.warmup_rate,
            step,
            64,
            100,
            sentence=True,
        )
    _agree(student, 1, 64, 100)
