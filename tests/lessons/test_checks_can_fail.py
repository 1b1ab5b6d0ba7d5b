"""A check that no wrong answer fails is no check. So each is failed by a known mistake, and known mistakes lose points.

In this process and with nothing measured; `make audit` judges all answers sealed and in their notebooks.
"""

import pytest
from answers import runs_in
from known import ASSIGNMENTS, LESSONS, of
from recorded import checks_of
from some_cases import one_in

from autograder.checks.execute import NotebookStudent, call_check
from autograder.content.lesson import mark_value

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("shapes_unchecked")]

EXERCISES = [(lesson, name) for lesson in ASSIGNMENTS for name in LESSONS.of(lesson).exercises]


def failures(checks, student):
    """Yield each check with its failure, None where it passes; last, a broken promise, the failure of the check that it costs."""
    for name, check in checks.items():
        yield name, call_check(check, student, 1)
    if student.breach:
        marked = [name for name, check in checks.items() if mark_value(check, "promises")]
        yield from dict.fromkeys(marked or checks, student.breach).items()


@pytest.mark.parametrize(("assignment", "exercise"), one_in(5, EXERCISES, "makes a second of mistakes an exercise"))
def test_every_check_is_failed_by_a_known_mistake(assignment, exercise):
    """What measures time or memory, or reads a trained model, is judged by the audit."""
    lesson = LESSONS.of(assignment)
    left = checks_of(lesson, exercise)
    for case in of(exercise, right=False, assignment=assignment):
        if not left:
            break
        try:
            names = runs_in(lesson, case.text)
        except Exception:  # an answer whose cell stops fails every check, and shows nothing of them
            continue
        student = NotebookStudent(names, lesson, deep=False)
        lost = dict(failures(left, student))
        left = {name: check for name, check in left.items() if lost[name] is None or lost[name].kind == "crash"}
    assert list(left) == []


#: Of a function every third, of a class every tenth: models are built a hundred times by their checks. The audit judges all.
EVERY = {"function": 3, "class": 10}


@pytest.mark.nightly(reason="the contract judges one of each exercise, and the audit judges all")
@pytest.mark.parametrize(
    ("assignment", "exercise"), [pair for pair in EXERCISES if not LESSONS.of(pair[0]).measures(pair[1])]
)
def test_known_mistakes_lose_points(assignment, exercise):
    lesson = LESSONS.of(assignment)
    cases = of(exercise, right=False, assignment=assignment)
    kind = "class" if isinstance(getattr(lesson.module("references"), exercise), type) else "function"
    accepted = []
    for case in cases[:: EVERY[kind]]:
        try:
            student = NotebookStudent(runs_in(lesson, case.text), lesson, deep=False)
        except Exception:  # a cell that stops earns nothing
            continue
        if not any(failure for _, failure in failures(checks_of(lesson, exercise), student)):
            accepted.append(case.name)
    assert accepted == []
