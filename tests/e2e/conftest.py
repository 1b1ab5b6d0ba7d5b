"""What the files about graded classes share."""

import pytest
from whole_way import in_gradebook

pytest.register_assert_rewrite("graded_class")


@pytest.fixture(scope="module")
def points(graded):
    """The points of each student of the file's ``graded`` class, by exercise."""
    course, lesson, _ = graded
    return in_gradebook(course, lesson)
