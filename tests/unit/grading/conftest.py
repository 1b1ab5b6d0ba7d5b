"""A course whose gradebook knows the first lesson and nobody, for tests of what comes after grading."""

import shutil

import pytest

from autograder.grading.course import Course


@pytest.fixture
def empty_class(sample_class, tmp_path):
    """A course of one test's own: a gradebook with the assignment, and no hand-in."""
    place = tmp_path / "course"
    shutil.copytree(sample_class, place, ignore=shutil.ignore_patterns("submitted"))
    for folder in ("solutions", "assignments"):
        (place / folder / "01-attention").mkdir(exist_ok=True)
    # A course's assignments are those that have a source.
    (place / "solutions" / "01-attention" / "attention.py").touch()
    return Course(place)
