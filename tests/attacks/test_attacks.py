"""Hostile submissions gain nothing, harm nobody and leave nothing behind; and their feedback pages are only text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser import CHROMIUM, needs_chromium
from known import ASSIGNMENTS, COURSE

from autograder.authoring import attacks
from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox

FOLDER = Path(__file__).parent / "cases"
CASES = attacks.cases(FOLDER)

#: Those that aim at nbgrader itself, and a few of every other kind: the whole set takes nbgrader, which is serial, six minutes.
AT_NBGRADER = [
    path
    for path in attacks.by_assignment(COURSE, CASES)[ASSIGNMENTS[0]]
    if "hand_in(folder" in path.read_text(encoding="utf8")
] + [
    path
    for path in CASES
    if path.stem
    in ("check_replaced", "check_returns_nan", "equal_to_everything", "html_in_a_failure", "process_ended_in_a_cell")
]

#: Each case once here, one way or the other; the audit runs all of them both ways.
AT_THE_CLASS_RUNNER = attacks.by_assignment(COURSE, (path for path in CASES if path not in AT_NBGRADER))


def test_there_are_enough_cases_and_each_says_what_it_tries():
    assert len(CASES) >= 100
    for path in CASES:
        assert path.read_text(encoding="utf8").startswith('"""'), path


@pytest.mark.slow
@pytest.mark.parametrize("lesson", AT_THE_CLASS_RUNNER)
def test_the_class_runner_withstands_them_all(root, tmp_path, lesson):
    tally = attacks.attack_in(Course(root), tmp_path, AT_THE_CLASS_RUNNER[lesson], "autograder")
    assert tally.good, str(tally)


@pytest.fixture(scope="module")
def attacked(root, tmp_path_factory):
    """A class that plain nbgrader has graded, with its feedback pages."""
    place = tmp_path_factory.mktemp("attacked")
    tally = attacks.attack_in(Course(root), place, AT_NBGRADER, "nbgrader")
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_feedback", COURSE.assignments[0]], cwd=place, capture_output=True
    )
    return place, tally


@pytest.mark.slow
def test_plain_nbgrader_withstands_those_that_aim_at_it(attacked):
    assert attacked[1].good, str(attacked[1])


@needs_chromium
@pytest.mark.slow
def test_a_feedback_page_runs_no_script(attacked):
    playwright = pytest.importorskip("playwright.sync_api")
    pages = [
        attacked[0] / "grading" / "feedback" / name / COURSE.assignments[0] / "attention.html"
        for name in ("script_in_the_text", "html_in_a_failure")
    ]
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.getuid() == 0 else [])
        for path in pages:
            page = browser.new_page()
            page.goto(path.as_uri(), wait_until="domcontentloaded")
            page.wait_for_timeout(1500)
            assert "attack-script-ran" not in page.title()
            assert "check-softmax" in page.content()
        browser.close()


@pytest.mark.slow
def test_the_check_table_survives_the_cleaning_of_the_page(attacked):
    page = (attacked[0] / "grading" / "feedback" / "aa-neighbour" / COURSE.assignments[0] / "attention.html").read_text(
        encoding="utf8"
    )
    assert "14 of 14 points" in page
    assert "<table" in page
    assert "<summary>" in page


def test_no_case_is_ever_collected_as_a_test(root):
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", FOLDER, *FOLDER.glob("check_*.py")],
        capture_output=True,
        text=True,
        cwd=root,
    )
    assert found.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, found.stdout
