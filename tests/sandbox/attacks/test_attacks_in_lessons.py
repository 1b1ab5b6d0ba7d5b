"""Hostile submissions in every lesson but the first gain nothing, harm nobody and leave nothing behind."""

import pytest
from selection import AT_THE_CLASS_RUNNER, FIRST

from autograder.authoring import attacks
from autograder.grading.course import Course

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("assignment", [assignment for assignment in AT_THE_CLASS_RUNNER if assignment != FIRST])
def test_the_class_runner_withstands_them(root, tmp_path, assignment):
    cases = AT_THE_CLASS_RUNNER[assignment]
    tally = attacks.attack_in(Course(root), tmp_path, assignment, cases, "autograder", (), 1)
    assert tally.good, str(tally)
