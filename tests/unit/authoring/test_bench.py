"""Each lesson's benchmark has what the course's benchmark reads from it: a crash there comes after ten minutes of measuring."""

import pytest
from known import LESSONS

from autograder.content.known_answers import misconceptions
from autograder.grading.course import find_course

WITH_BENCH = [name for name in find_course().assignments if LESSONS.of(name).has("bench")]


@pytest.mark.parametrize("assignment", WITH_BENCH)
def test_the_mistakes_whose_diagnosis_is_timed_are_known(assignment):
    lesson = LESSONS.of(assignment)
    bench = lesson.module("bench")
    assert bench.MISTAKES
    for exercise, mistake in bench.MISTAKES:
        assert exercise in lesson.exercises
        assert mistake in [case.name for case in misconceptions(lesson, exercise)]
    assert callable(bench.figures)
