"""An answer that computes nothing earns at most a third of an exercise, whatever properties its form has.

Each has the solution's parameters, its refusals and its shapes, and gives zeros, random numbers or an argument for its numbers.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from known import ASSIGNMENTS, COURSE, LESSONS
from torch import Tensor

from autograder.checks.execute import NotebookStudent
from autograder.content import notebook
from autograder.content.lesson import mark_value
from autograder.verdict.runner import run_single

pytestmark = [pytest.mark.usefixtures("shapes_unchecked"), pytest.mark.slow]

SEED = 7

#: What is left of a right answer to these is the work: a checkpoint's tensors in their places; the argument in another shape.
WORK_DONE = {"PretrainedEncoder", "ModernDecoder", "weights_to_grid"}


def zeros(right: Tensor, arguments: Sequence[Tensor]) -> Tensor:
    return torch.zeros_like(right)


def noise(right: Tensor, arguments: Sequence[Tensor]) -> Tensor:
    drawn = 3 * torch.randn(right.shape, generator=torch.Generator().manual_seed(right.numel()))
    return drawn > 0 if right.dtype == torch.bool else drawn.to(right.dtype)


def an_argument(right: Tensor, arguments: Sequence[Tensor]) -> Tensor:
    """Return the first argument that has the shape, or can be brought into it; zeros if none can."""
    for given in arguments:
        if given.numel() == right.numel():
            return given.reshape(right.shape).to(right.dtype, copy=True)
        if given.dim() <= right.dim() and all(
            mine in (1, wanted) for mine, wanted in zip(given.shape[::-1], right.shape[::-1], strict=False)
        ):
            return given.expand(right.shape).to(right.dtype, copy=True)
    return torch.zeros_like(right)


@functools.cache
def solved(assignment: str) -> dict[str, Any]:
    return notebook.run(COURSE.solution_notebook(assignment)).namespace


def answer(solution: Any, number: Callable[[Tensor, Sequence[Tensor]], Tensor]) -> tuple[Any, list[bool]]:
    """Return the solution with other numbers in its tensors, and a list that is no longer empty once there was a tensor."""
    call = solution.forward if isinstance(solution, type) else solution
    met: list[bool] = []

    def other(value: Any, arguments: Sequence[Tensor]) -> Any:
        if isinstance(value, Tensor):
            met.append(True)
            return number(value, arguments)
        if isinstance(value, bool | int | float):
            met.append(True)
            return number(torch.tensor(value), arguments).item()
        if isinstance(value, str):
            met.append(True)
            return ""
        if type(value) in (tuple, list):
            return type(value)(other(part, arguments) for part in value)
        return {name: other(part, arguments) for name, part in value.items()} if isinstance(value, dict) else value

    @functools.wraps(call)
    def changed(*args: Any, **kwargs: Any) -> Any:
        given = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
        return other(call(*args, **kwargs), given)

    return (type(solution.__name__, (solution,), {"forward": changed}) if isinstance(solution, type) else changed), met


def exercises():
    """Yield each exercise of which nothing is measured with a way to compute nothing: one in turn, and all of them nightly."""
    turn = itertools.cycle((zeros, noise, an_argument))
    for assignment in ASSIGNMENTS:
        lesson = LESSONS.of(assignment)
        for exercise in lesson.exercises:
            if exercise in WORK_DONE or any(mark_value(c, "measured") for c in lesson.checks(exercise).values()):
                continue
            tried = next(turn)
            for number in (zeros, noise, an_argument):
                marks = () if number is tried else pytest.mark.nightly(reason="make test-full tries one of the three")
                yield pytest.param(assignment, exercise, number, marks=marks, id=f"{exercise}-{number.__name__}")


@pytest.mark.parametrize(("assignment", "exercise", "number"), [*exercises()])
def test_numbers_that_nobody_computed_earn_at_most_a_third(assignment, exercise, number):
    names = solved(assignment)
    given, met = answer(names[exercise], number)
    student = NotebookStudent(names | {exercise: given}, LESSONS.of(assignment), deep=False)
    report = run_single(exercise, student, SEED)
    assert met
    earned = {each.name: each.earned for each in report.results if each.earned}
    assert sum(earned.values()) <= report.points / 3, earned
