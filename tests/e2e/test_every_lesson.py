"""The solution of every lesson, with its files, by plain nbgrader into the gradebook and onto the page."""

import pytest
from graded_class import SOME, GradedClass, grade_class
from known import ASSIGNMENTS

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]


@pytest.fixture(scope="module", params=ASSIGNMENTS[:-1])
def graded(request, tmp_path_factory):
    """A lesson and a part of its class; test_whole_way.py has the whole class of the last lesson."""
    return grade_class(tmp_path_factory.mktemp(request.param), request.param, SOME)


class TestClass(GradedClass):
    pass
