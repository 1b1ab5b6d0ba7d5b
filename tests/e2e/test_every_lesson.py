"""The solution of every lesson, with its files, by plain nbgrader into the gradebook and onto the page."""

import pytest
from graded_class import OTHER, SOME, WHOLE, GradedClass, grade_class
from known import ASSIGNMENTS
from some_cases import only

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

#: The first lesson is followed by test_one_lesson.py, and another by test_whole_way.py.
LESSONS = only(
    lambda lesson: lesson == OTHER,
    [lesson for lesson in ASSIGNMENTS[1:] if lesson != WHOLE],
    "a lesson differs from the others in its exercises and files, which the contract and its notebook judge",
)


@pytest.fixture(scope="module", params=LESSONS)
def graded(request, tmp_path_factory):
    """A lesson and a part of its class; test_whole_way.py has the whole class of the last lesson."""
    return grade_class(tmp_path_factory.mktemp(request.param), request.param, SOME)


class TestClass(GradedClass):
    pass
