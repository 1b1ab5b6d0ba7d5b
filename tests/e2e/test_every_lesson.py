"""The solution of every lesson, with its files, by plain nbgrader into the gradebook and onto the page."""

import pytest
from graded_class import LAST, SOME, GradedClass, grade_class
from known import ASSIGNMENTS, LESSONS

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]


NIGHTLY = pytest.mark.nightly(reason="without files a lesson differs in its exercises only, which the contract judges")
#: The first lesson is followed by test_one_lesson.py, the last with files by test_whole_way.py.
OTHERS = [lesson for lesson in ASSIGNMENTS[1:] if lesson != LAST]


@pytest.fixture(
    scope="module",
    params=[pytest.param(lesson, marks=[] if LESSONS.of(lesson).handed_in else [NIGHTLY]) for lesson in OTHERS],
)
def graded(request, tmp_path_factory):
    """A lesson and a part of its class; test_whole_way.py has the whole class of the last lesson."""
    return grade_class(tmp_path_factory.mktemp(request.param), request.param, SOME)


class TestClass(GradedClass):
    pass
