"""Hostile submissions gain nothing, harm nobody and leave nothing behind; and their feedback pages are only text."""

import subprocess
import sys
from pathlib import Path

import pytest
from browser import chromium, is_seen, opened
from known import COURSE
from test_defences import DEFENCES

from autograder.authoring import attacks, hostile
from autograder.grading.course import Course

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

FOLDER = Path(__file__).parent / "cases"
CASES = hostile.read(COURSE, FOLDER)
FIRST = COURSE.assignments[0]

#: Those that aim at nbgrader itself, and a few of every other kind: the whole set takes nbgrader, which is serial, six minutes.
AT_NBGRADER = [
    case
    for case in CASES
    if (case.said("replaces") is None and case.lesson.assignment == FIRST)
    or case.name
    in ("check_replaced", "check_returns_nan", "equal_to_everything", "html_in_a_failure", "process_ended_in_a_cell")
]

#: Those that attack a measurement take ten seconds and more. In every run a third of them.
MEASURED = [case for case in CASES if (name := case.said("replaces")) and case.lesson.measures(name)]
LATER = [case for number, case in enumerate(MEASURED) if number % 3]
#: Each other case once here, one way or the other, and some general ones in each other lesson. Three honest neighbours stand in
#: the first lesson's class; nightly, and in the audit, in every lesson's, with all cases.
EVERY = 60
AT_THE_CLASS_RUNNER = {
    assignment: [
        case
        for case in cases
        if case not in LATER
        and (assignment != FIRST or (case not in AT_NBGRADER and case.name not in DEFENCES.values()))
    ]
    for assignment, cases in hostile.by_assignment(COURSE, CASES, lambda number: number % EVERY == 0).items()
}


def test_enough_cases_with_docstrings():
    assert len(CASES) >= 150
    for case in CASES:
        assert case.text.startswith('"""'), case


def test_every_lesson_is_attacked():
    assert set(AT_THE_CLASS_RUNNER) == set(COURSE.assignments)
    for assignment, cases in AT_THE_CLASS_RUNNER.items():
        assert assignment == FIRST or len([case for case in cases if case.general]) >= 1
    tried = {case.name for cases in AT_THE_CLASS_RUNNER.values() for case in cases} | {*DEFENCES.values()}
    tried |= {case.name for case in AT_NBGRADER}
    assert tried | {case.name for case in LATER} == {case.name for case in CASES}
    assert len(LATER) < len(CASES) / 6


@pytest.mark.timeout(2400)  # eleven minutes for the first lesson on a busy machine
@pytest.mark.parametrize("assignment", AT_THE_CLASS_RUNNER)
def test_the_class_runner_withstands_them(root, tmp_path, assignment):
    neighbours, workers = (attacks.NEIGHBOURS, attacks.MANY) if assignment == FIRST else ((), 1)
    cases = AT_THE_CLASS_RUNNER[assignment]
    tally = attacks.attack_in(Course(root), tmp_path, assignment, cases, "autograder", neighbours, workers)
    assert tally.good, str(tally)


@pytest.mark.nightly(reason="every case in every lesson takes an hour")
@pytest.mark.timeout(5400)
@pytest.mark.parametrize("assignment", COURSE.assignments)
def test_the_class_runner_withstands_all_in_every_lesson(root, tmp_path, assignment):
    cases = hostile.by_assignment(COURSE, CASES, lambda number: True)[assignment]
    tally = attacks.attack_in(Course(root), tmp_path, assignment, cases, "autograder")
    assert tally.good, str(tally)


@pytest.fixture(scope="module")
def attacked(root, tmp_path_factory):
    """A class that plain nbgrader has graded, with its feedback pages."""
    place = tmp_path_factory.mktemp("attacked")
    tally = attacks.attack_in(Course(root), place, FIRST, AT_NBGRADER, "nbgrader")
    subprocess.run([sys.executable, "-m", "nbgrader", "generate_feedback", FIRST], cwd=place, capture_output=True)
    return place, tally


def test_plain_nbgrader_withstands_those_that_aim_at_it(attacked):
    assert attacked[1].good, str(attacked[1])


@pytest.mark.browser
def test_a_feedback_page_runs_no_script_and_shows_its_total(attacked):
    names = ["script_in_the_text", "html_in_a_failure", *(case.name for case in CASES if case.name.startswith("page_"))]
    with chromium() as browser:
        for name in names:
            path = attacked[0] / "grading" / "feedback" / name / FIRST / "attention.html"
            page = opened(browser, path.read_text(encoding="utf8"))
            page.wait_for_timeout(500)
            assert "attack-script-ran" not in page.title()
            assert "softmax" in page.content()
            assert is_seen(page, "#total"), name
            shown = page.locator("#total").first.inner_text()
            assert shown.startswith("0 of 67 points") or name == "html_in_a_failure", shown
            page.close()


def test_a_result_is_small_whatever_a_submission_prints(attacked):
    sizes = [path.stat().st_size for path in (attacked[0] / "grading" / "results").rglob("*.json")]
    assert 4_000_000 < max(sizes) < 10_000_000  # that of output_flood_everywhere


def test_the_check_table_survives_the_cleaning_of_the_page(attacked):
    page = (attacked[0] / "grading" / "feedback" / "aa-neighbour" / FIRST / "attention.html").read_text(encoding="utf8")
    assert "14 of 14 points" in page
    assert "<table" in page
    assert '<th scope="col"' in page


def test_no_case_is_ever_collected_as_a_test(root):
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", FOLDER, *FOLDER.glob("check_*.py")],
        capture_output=True,
        text=True,
        cwd=root,
    )
    assert found.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, found.stdout
