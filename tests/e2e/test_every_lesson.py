"""The solution of every lesson, with its files, by plain nbgrader into the gradebook and onto the page."""

import pytest
from graded_class import SOME, WHOLE, GradedClass, grade_class
from known import ASSIGNMENTS

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.nightly(
        reason="a lesson differs from these in exercises and files, which the contract and its notebook judge"
    ),
]

#: The first lesson is followed by test_one_lesson.py, and another by test_whole_way.py.
LESSONS = [lesson for lesson in ASSIGNMENTS[1:] if lesson != WHOLE]


@pytest.fixture(scope="module", params=LESSONS)
def graded(request, tmp_path_factory):
    """A lesson and a part of its class; test_whole_way.py has the whole class of the last lesson."""
    return grade_class(tmp_path_factory.mktemp(request.param), request.param, SOME)


class TestClass(GradedClass):
    pass
