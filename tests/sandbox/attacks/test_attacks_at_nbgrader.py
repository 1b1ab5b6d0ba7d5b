"""Hostile submissions graded by plain nbgrader gain nothing, and their feedback pages are only text."""

import subprocess
import sys

import pytest
from browser import chromium, is_seen, opened
from selection import AT_NBGRADER, CASES, FIRST

from autograder.authoring import attacks
from autograder.grading.course import Course

pytestmark = [pytest.mark.timeout(2400), pytest.mark.sandbox, pytest.mark.e2e]


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
            assert shown.startswith("0 of 73 points") or name == "html_in_a_failure", shown
            page.close()


def test_a_result_is_small_whatever_a_submission_prints(attacked):
    sizes = [path.stat().st_size for path in (attacked[0] / "grading" / "results").rglob("*.json")]
    assert 4_000_000 < max(sizes) < 10_000_000  # that of output_flood_everywhere


def test_the_check_table_survives_the_cleaning_of_the_page(attacked):
    page = (attacked[0] / "grading" / "feedback" / "aa-neighbour" / FIRST / "attention.html").read_text(encoding="utf8")
    assert "14 of 14 points" in page
    assert "<table" in page
    assert '<th scope="col"' in page
