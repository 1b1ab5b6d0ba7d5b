"""Hostile submissions gain nothing, harm nobody and leave nothing behind."""

import subprocess
import sys

import pytest
from known import COURSE
from selection import AT_NBGRADER, AT_THE_CLASS_RUNNER, CASES, FIRST
from test_defences import DEFENCES

from autograder.authoring import attacks
from autograder.grading.course import Course

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]


def test_enough_cases_with_docstrings():
    assert len(CASES) >= 150
    for case in CASES:
        assert case.text.startswith('"""'), case


def test_every_lesson_is_attacked():
    assert set(AT_THE_CLASS_RUNNER) == set(COURSE.assignments)
    assert all(AT_THE_CLASS_RUNNER.values())
    tried = {case.name for cases in AT_THE_CLASS_RUNNER.values() for case in cases} | {*DEFENCES.values()}
    tried |= {case.name for case in AT_NBGRADER}
    assert len(tried) > 0.2 * len(CASES), "the others are nightly"


@pytest.mark.timeout(2400)  # eleven minutes on a busy machine
def test_the_class_runner_withstands_them(root, tmp_path):
    cases = AT_THE_CLASS_RUNNER[FIRST]
    tally = attacks.attack_in(Course(root), tmp_path, FIRST, cases, "autograder")
    assert tally.good, str(tally)


@pytest.mark.nightly(reason="every lesson with a quarter of the cases takes half an hour; all of them would take three")
@pytest.mark.timeout(5400)
@pytest.mark.parametrize("assignment", COURSE.assignments)
def test_every_lesson_withstands_its_own_and_a_quarter_of_the_others(root, tmp_path, assignment):
    cases = attacks.by_assignment(COURSE, CASES, lambda number: number % 4 == 0)[assignment]
    tally = attacks.attack_in(Course(root), tmp_path, assignment, cases, "autograder")
    assert tally.good, str(tally)


@pytest.mark.nightly(reason="it starts pytest for all cases; a run that collected one would list it")
def test_no_case_is_ever_collected_as_a_test(root):
    files = sorted((root / attacks.FOLDER).glob("check_*.py"))
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", attacks.FOLDER, *files]
    found = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert found.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, found.stdout
