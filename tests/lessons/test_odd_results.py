"""Each official solution with odd results in the place of its own: a check judges them in a sentence, with no error of its own.

`make test` tries four kinds of results with every exercise of the first lesson, `make test-full` one of these in turn with every
other exercise, and `make nightly` tries all kinds.
"""

import functools
import itertools
from typing import Any

import pytest
from known import ASSIGNMENTS, COURSE, LESSONS
from odd_results import ODD

from autograder.checks.execute import NotebookStudent, execute
from autograder.content import notebook
from autograder.content.lesson import mark_value
from autograder.runtime.errors import from_exception

pytestmark = pytest.mark.usefixtures("shapes_unchecked")

SEED = 1
QUICK = ("nothing", "rows missing", "whole numbers", "meta")
NIGHTLY = pytest.mark.nightly(reason="make test-full tries one of four kinds of results with every exercise")


@functools.cache
def solved(assignment):
    return notebook.run(COURSE.solution_notebook(assignment)).namespace


def returning(solution: Any, odd: Any) -> Any:
    """Return the solution, a function or the class of a module, with ``odd`` of each of its results."""
    call = solution.forward if isinstance(solution, type) else solution

    @functools.wraps(call)
    def changed(*args: Any, **kwargs: Any) -> Any:
        return odd(call(*args, **kwargs))

    return type(solution.__name__, (solution,), {"forward": changed}) if isinstance(solution, type) else changed


def not_judged(assignment: str, exercise: str, odd: Any) -> list[str]:
    """Return the checks that end in an error of their own, with the error."""
    names = solved(assignment)
    namespace = names | {exercise: returning(names[exercise], odd)}
    student = NotebookStudent(namespace, LESSONS.of(assignment), deep=False)
    failures = {
        name: from_exception(execute(check, student, SEED).error)
        for name, check in LESSONS.of(assignment).checks(exercise).items()
        if not mark_value(check, "measured")
    }
    return [
        f"{name}: {failure.yours}"
        for name, failure in failures.items()
        if failure and failure.message == "The check could not work with your result"
    ]


def cases():
    """Yield every exercise with every kind of result, marked."""
    turn = itertools.cycle(QUICK)
    for assignment in ASSIGNMENTS:
        first = assignment == ASSIGNMENTS[0]
        for exercise in LESSONS.of(assignment).exercises:
            tried = QUICK if first else (next(turn),)
            for kind in ODD:
                marks = NIGHTLY if kind not in tried else () if first else pytest.mark.slow
                yield pytest.param(
                    *(assignment, exercise, kind),
                    marks=marks,
                    id=f"{assignment}-{exercise}-{kind.replace(' ', '_')}",
                )


@pytest.mark.parametrize(("assignment", "exercise", "kind"), [*cases()])
def test_an_odd_result_is_judged_in_a_sentence(assignment, exercise, kind):
    assert not not_judged(assignment, exercise, ODD[kind])
