"""From a hand-in with its files to points in the gradebook and on the page, by the users' own commands, for every lesson.

Two ways that agree because both have lost a file are not right: the solution must be full.
"""

import json
import shutil

import pytest
from graded_class import WHOLE, GradedClass, grade_class
from known import ASSIGNMENTS
from known import LESSONS as OWN
from nbgrader.api import Gradebook
from some_cases import only
from whole_way import Checker, full, in_gradebook, run, stored, verdicts

from autograder.grading.course import Course

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

#: They grade once more what nbgrader has graded.
WAYS = {
    "one worker": ["--force", "--workers", "1"],
    "two workers": ["--force", "--workers", "2"],
    "without a sandbox": ["--force", "--trust-submissions"],
}

LESSONS = only(
    [WHOLE],
    ASSIGNMENTS,
    "the contract judges the release and wrong answers; here one lesson's stand for all",
)

#: What is the same for all lessons.
ONE_IN_EVERY_RUN = pytest.mark.parametrize("graded", LESSONS, indirect=True)


@pytest.fixture(scope="module", params=LESSONS)
def graded(request, tmp_path_factory):
    """A lesson and its class."""
    return grade_class(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def checker():
    """A process that checks notebooks outside the sandbox."""
    started = Checker()
    yield started
    started.close()


class TestClass(GradedClass):
    pass


@pytest.mark.nightly(reason="each grades once more, half a minute each")
@ONE_IN_EVERY_RUN
@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_points(graded, points, way, tmp_path):
    course, lesson, _ = graded
    copy = Course(tmp_path / "course")
    shutil.copytree(course.root, copy.root, ignore=shutil.ignore_patterns("autograded", "feedback", "results"))
    with Gradebook(f"sqlite:///{copy.grading / 'gradebook.db'}") as gradebook:
        for student in points:
            gradebook.remove_submission(lesson, student)
    told = run(copy.root, "autograder", "grade", lesson, *WAYS[way])
    assert f"{len(points)} graded ({len(points)} now, 0 before), 0 need a human, 0 failed" in told
    assert in_gradebook(copy, lesson) == points


@pytest.mark.nightly(reason="the second course's hand-ins are graded by both commands in every run")
@ONE_IN_EVERY_RUN
def test_the_other_command_takes_the_results_of_the_first(graded, points, tmp_path):
    """It finds them under the same names, and writes the same points into a gradebook that has none."""
    course, lesson, _ = graded
    copy = Course(tmp_path / "course")
    shutil.copytree(course.root, copy.root, ignore=shutil.ignore_patterns("autograded", "feedback", "gradebook.db"))
    run(copy.root, "nbgrader", "generate_assignment", lesson, "--force")
    told = run(copy.root, "autograder", "grade", lesson)
    assert f"{len(points)} graded (0 now, {len(points)} before), 0 need a human, 0 failed" in told
    assert in_gradebook(copy, lesson) == points


@ONE_IN_EVERY_RUN
def test_every_way_gives_a_wrong_answer_the_same_report(graded, points, checker):
    _told_the_same(graded, points, checker, "wrong")


@pytest.mark.nightly(reason="a right answer has little to report; a wrong one stands for both")
@ONE_IN_EVERY_RUN
def test_every_way_gives_a_right_answer_the_same_report(graded, points, checker):
    _told_the_same(graded, points, checker, "solution")


def _told_the_same(graded, points, checker, student):
    """The same points and the same misconceptions outside the sandbox, for other inputs."""
    course, lesson, _ = graded
    checked = checker.check(course, lesson, student)
    assert verdicts(checked) == verdicts(stored(course, lesson, student))
    assert {one["name"]: one["earned"] for one in checked.exercises} == points[student]
    named = [name for one in checked.exercises for name in one["named"]]
    assert len(named) >= len(OWN.of(lesson).exercises) * (student == "wrong")


@pytest.mark.nightly(reason="the bundle's test checks a notebook by this command")
@ONE_IN_EVERY_RUN
def test_the_command_line_reports_it_too(graded):
    course, lesson, _ = graded
    [notebook] = (course.grading / "submitted" / "solution" / lesson).glob("*.ipynb")
    printed = run(course.root, "autograder", "check", str(notebook), "--json", "--seed", "11")
    told = json.loads(printed[printed.index("{") :])
    assert {one["name"]: one["earned"] for one in told["exercises"]} == full(lesson)
