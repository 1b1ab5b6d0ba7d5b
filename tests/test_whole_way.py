"""From a hand-in with its files to points in the gradebook and on the page, by the users' own commands, for every lesson.

Two ways that agree because both have lost a file are not right: the solution must be full.
"""

import shutil

import pytest
from known import ASSIGNMENTS, EVERYTHING
from known import LESSONS as OWN
from whole_way import by_check, full, in_gradebook, lay_out, on_pages, run

from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox

WAYS = {
    "one worker": ["--force", "--workers", "1"],
    "two workers": ["--force", "--workers", "2"],
    "without a sandbox": ["--force", "--trust-submissions"],
}


#: Each way grades a class anew, which takes half a minute. The others, for all lessons, are in `make nightly`.
IN_EVERY_RUN = [(ASSIGNMENTS[0], "two workers"), (ASSIGNMENTS[-1], "without a sandbox")]


@pytest.fixture(scope="module", params=ASSIGNMENTS)
def graded(request, tmp_path_factory):
    """A lesson, its class after plain nbgrader has graded it, and what that wrote."""
    course = lay_out(tmp_path_factory.mktemp(request.param), request.param)
    told = run(course.root, "nbgrader", "autograde", request.param)
    run(course.root, "nbgrader", "generate_feedback", request.param)
    return course, request.param, told


@pytest.fixture(scope="module")
def points(graded):
    course, lesson, _ = graded
    return in_gradebook(course, lesson)


def test_the_solution_is_full_and_the_rest_is_what_it_should_be(graded, points):
    lesson = graded[1]
    assert points["solution"] == full(lesson)
    assert set(points["release"].values()) == {0.0}
    assert all(points["wrong"][name] < worth for name, worth in full(lesson).items())
    if files := OWN.of(lesson).handed_in:
        for student in ("without-file", "foreign-file"):
            lost = {name for name, earned in points[student].items() if earned < full(lesson)[name]}
            assert len(lost) == len(files), (
                f"{student} loses the exercise for which the file is handed in, and no other"
            )
            assert points[student][lost.pop()] == 0.0


def test_the_page_has_the_points_of_the_gradebook(graded, points):
    course, lesson, _ = graded
    assert on_pages(course, lesson) == {student: sum(scores.values()) for student, scores in points.items()}


def test_each_submission_has_its_line_with_name_points_and_time(graded, points):
    _, lesson, told = graded
    most = sum(full(lesson).values())
    for student, scores in points.items():
        assert f"INFO] {student}: {sum(scores.values()):g} of {most:g} points in " in told
    if files := OWN.of(lesson).handed_in:
        assert f"please look: {files[0]} was not handed in" in told


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_points(graded, points, way, tmp_path):
    course, lesson, _ = graded
    if not EVERYTHING and (lesson, way) not in IN_EVERY_RUN:
        pytest.skip("grades the class once more, half a minute each; make nightly has every way for every lesson")
    copy = Course(tmp_path / "course")
    shutil.copytree(course.root, copy.root, ignore=shutil.ignore_patterns("autograded", "feedback", "results"))
    told = run(copy.root, "autograder", "grade", lesson, *WAYS[way])
    assert f"{len(points)} graded ({len(points)} now, 0 before), 0 need a human, 0 failed" in told
    assert in_gradebook(copy, lesson) == points


def test_the_other_command_takes_the_results_of_the_first(graded, points, tmp_path):
    """It finds them under the same names, and writes the same points into a gradebook that has none."""
    course, lesson, _ = graded
    if not EVERYTHING and lesson not in (ASSIGNMENTS[0], ASSIGNMENTS[-1]):
        pytest.skip("the same for all: here once without and once with a handed-in file; make nightly has the others")
    copy = Course(tmp_path / "course")
    shutil.copytree(course.root, copy.root, ignore=shutil.ignore_patterns("autograded", "feedback", "gradebook.db"))
    run(copy.root, "nbgrader", "generate_assignment", lesson, "--force")
    told = run(copy.root, "autograder", "grade", lesson)
    assert f"{len(points)} graded (0 now, {len(points)} before), 0 need a human, 0 failed" in told
    assert in_gradebook(copy, lesson) == points


def test_the_student_is_told_the_same(graded, points):
    course, lesson, _ = graded
    students = [student for student in points if EVERYTHING or student == "solution"]
    assert by_check(course, lesson, students) == {student: points[student] for student in students}
    assert "solution" in students
