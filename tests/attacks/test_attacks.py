"""Hostile submissions gain nothing, harm nobody and leave nothing behind; and their feedback pages are only text."""

import subprocess
import sys
from pathlib import Path

import pytest
from browser import chromium, is_seen, needs_chromium, opened
from known import COURSE

from autograder.authoring import attacks
from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox

FOLDER = Path(__file__).parent / "cases"
CASES = attacks.cases(FOLDER)

#: Those that aim at nbgrader itself, and a few of every other kind: the whole set takes nbgrader, which is serial, six minutes.
AT_NBGRADER = [path for path in CASES if "hand_in(folder" in path.read_text(encoding="utf8")] + [
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
def test_a_feedback_page_runs_no_script_and_shows_its_total(attacked):
    names = ["script_in_the_text", "html_in_a_failure", *(path.stem for path in CASES if path.stem.startswith("page_"))]
    with chromium() as browser:
        for name in names:
            path = attacked[0] / "grading" / "feedback" / name / COURSE.assignments[0] / "attention.html"
            page = opened(browser, path.read_text(encoding="utf8"))
            page.wait_for_timeout(500)
            assert "attack-script-ran" not in page.title()
            assert "check-softmax" in page.content()
            assert is_seen(page, "h4"), name
            assert (
                page.locator("h4").first.inner_text() == "attention (Score: 0.0 / 67.0)" or name == "html_in_a_failure"
            )
            page.close()


@pytest.mark.slow
def test_a_result_is_small_whatever_a_submission_prints(attacked):
    sizes = [path.stat().st_size for path in (attacked[0] / "grading" / "results").rglob("*.json")]
    assert 4_000_000 < max(sizes) < 10_000_000  # that of output_flood_everywhere


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
