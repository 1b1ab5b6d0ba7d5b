"""What is asked whatever the seed can be written into a table: it decides on a part of an exercise's points only."""

import pytest
import torch
from known import COURSE
from recorded import SEED, Recorder, right_names

from autograder.checks.execute import NotebookStudent, call_check
from autograder.content.lesson import mark_value

pytestmark = pytest.mark.nightly(reason="every check twice takes minutes")

#: The largest part of an exercise's points that may be given for questions that are always the same.
MOST = 0.6


def plain(value):
    """Return what can be compared with ==."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.detach().cpu().resolve_conj().numpy().tobytes()
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return tuple((str(key), plain(each)) for key, each in value.items()) if isinstance(value, dict) else repr(value)


def questions(lesson, names, check, seed):
    """Return what a check asks a right answer."""
    student = Recorder(NotebookStudent(names, lesson, deep=False))
    call_check(check, student, seed)
    asked = [exchange.request for exchange in student.exchanges]
    return [plain((each.args, dict(each.kwargs), each.build, dict(each.weights or {}))) for each in asked]


@pytest.mark.parametrize(
    ("assignment", "exercise"),
    [(assignment, name) for assignment in COURSE.assignments for name in COURSE.lessons.of(assignment).exercises],
)
def test_most_points_are_for_what_is_drawn(assignment, exercise):
    lesson = COURSE.lessons.of(assignment)
    names, known = right_names(lesson, exercise), 0.0
    for check in lesson.checks(exercise).values():
        if not mark_value(check, "measured"):
            first = questions(lesson, names, check, SEED)
            known += mark_value(check, "points", 0) if first == questions(lesson, names, check, SEED + 1) else 0
    assert known <= MOST * lesson.points(exercise)
