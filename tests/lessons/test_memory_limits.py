"""What a check of memory forbids is more than the kernel's figures leave open."""

import inspect

import pytest
from known import COURSE
from recorded import SEED, right_names

from autograder.checks.execute import NotebookStudent, call_check
from autograder.content.lesson import mark_value
from autograder.runtime.state import tensors_of
from autograder.sandbox.outside.remote import explained

#: How many times the limit an answer may hold at most. A check forbids at least four times its limit.
MOST = 3.5


class Holder(NotebookStudent):
    """A student whose every measured call holds as many bytes as it is told to."""

    holds, asked = 0, ()

    def peak_memory(self, name, fresh, **kwargs):
        self.asked = (*self.asked, sum(x.numel() * x.element_size() for x in tensors_of(fresh()) if not x.is_meta))
        return self.holds


def limit(student, check):
    """Return the largest number of bytes that passes the check, up to a thousandth."""
    low, high = 0, 2**32
    while high - low > high // 1000:
        student.holds = (low + high) // 2
        passed = call_check(check, student, SEED) is None
        low, high = (student.holds, high) if passed else (low, student.holds)
    return low


def asks_for_memory(check):
    """Return whether the check, or what it calls in its own module, measures memory."""
    names = {*check.__code__.co_names}
    own = (vars(inspect.getmodule(check)).get(name) for name in names)
    return "peak_memory" in names.union(*(each.__code__.co_names for each in own if inspect.isfunction(each)))


MEASURED = [
    (assignment, exercise, name)
    for assignment in COURSE.assignments
    for exercise in COURSE.lessons.of(assignment).exercises
    for name, check in COURSE.lessons.of(assignment).checks(exercise).items()
    if mark_value(check, "measured") and asks_for_memory(check)
]


@pytest.mark.parametrize(("assignment", "exercise", "name"), MEASURED)
def test_what_is_forbidden_cannot_hide_among_what_is_not_explained(assignment, exercise, name):
    lesson = COURSE.lessons.of(assignment)
    student = Holder(right_names(lesson, exercise), lesson, deep=False)
    least = limit(student, lesson.checks(exercise)[name])
    assert least > 0
    assert explained(least, max(student.asked)) <= MOST * least
