"""A check that no wrong answer fails is no check: each that gives points is failed by a known wrong answer to its exercise."""

import jaxtyping
import pytest
from answers import runs_in
from known import ASSIGNMENTS, LESSONS, of

from autograder.judging.local import LocalStudent
from autograder.judging.marks import mark_value
from autograder.judging.replay import replay

pytestmark = pytest.mark.slow

EXERCISES = [(lesson, name) for lesson in ASSIGNMENTS for name in LESSONS.of(lesson).exercises]


@pytest.fixture(autouse=True)
def shapes_unchecked():
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_every_check_is_failed_by_a_known_mistake(assignment, exercise):
    """What measures time or memory, or reads a trained model, is judged by the audit."""
    lesson = LESSONS.of(assignment)
    left = {
        name: check
        for name, check in lesson.checks(exercise).items()
        if mark_value(check, "points", 0) and not mark_value(check, "measured")
    }
    for case in of(exercise, right=False, assignment=assignment):
        if not left:
            break
        try:
            names = runs_in(lesson, case.text)
        except Exception:  # an answer whose cell stops fails every check, and shows nothing of them
            continue
        student = LocalStudent(names, lesson, deep=False)
        failed = [name for name, check in left.items() if (lost := replay(check, student, 1)) and lost.kind != "crash"]
        left = {name: check for name, check in left.items() if name not in failed}
    assert list(left) == []
