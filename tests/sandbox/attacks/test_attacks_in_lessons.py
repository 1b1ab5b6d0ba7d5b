"""Hostile submissions in every lesson but the first gain nothing, harm nobody and leave nothing behind."""

import pytest
from selection import AT_THE_CLASS_RUNNER, FIRST

from autograder.authoring import attacks
from autograder.grading.course import Course

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]


@pytest.mark.timeout(1800)
def test_the_grading_processes_withstand_them(root, tmp_path):
    """By the command, into a gradebook and beside neighbours `make nightly` and the audit grade them."""
    groups = {name: cases for name, cases in AT_THE_CLASS_RUNNER.items() if name != FIRST}
    tally = attacks.attack_workers(Course(root), tmp_path, groups)
    assert tally.good, str(tally)
    assert tally.tried == sum(map(len, groups.values()))
