"""From a hand-in with its files to points in the gradebook and on the page, by the users' own commands, for every lesson.

Two ways that agree because both have lost a file are not right: the solution must be full.
"""

import json
import shutil

import pytest
from known import ASSIGNMENTS
from known import LESSONS as OWN
from nbgrader.api import Gradebook
from whole_way import Checker, full, in_gradebook, lay_out, needed_for, on_pages, run, stored, verdicts, with_files

from autograder.grading.course import Course

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

#: They grade once more what nbgrader has graded.
WAYS = {
    "one worker": ["--force", "--workers", "1"],
    "two workers": ["--force", "--workers", "2"],
    "without a sandbox": ["--force", "--trust-submissions"],
}


SOME = ("solution", "without-file")
NIGHTLY = pytest.mark.nightly(
    reason="the contract judges the release and wrong answers; here one lesson's stand for all"
)
#: Each lesson with its whole class, and with only those of its class who are in SOME.
WHOLE = {lesson: (lesson, None) for lesson in ASSIGNMENTS}
PART = {lesson: (lesson, SOME) for lesson in ASSIGNMENTS}
#: In every run the whole class of the last lesson, which hands in files, and a part of each other one.
LAST = ASSIGNMENTS[-1]
THE_OTHERS = [lesson for lesson in ASSIGNMENTS if lesson != LAST]
#: Those that have the whole class come first, wherever they are listed: pytest sets a class up once for equal positions.
WITH_ALL = [WHOLE[LAST], *(pytest.param(WHOLE[lesson], marks=NIGHTLY) for lesson in THE_OTHERS)]


def in_words(pair):
    return f"{pair[0]}-{'part' if pair[1] else 'whole'}"


#: What is the same for all lessons.
ONE_IN_EVERY_RUN = pytest.mark.parametrize("graded", WITH_ALL, indirect=True, ids=in_words)


@pytest.fixture(scope="module", params=[*WITH_ALL, *(PART[lesson] for lesson in THE_OTHERS)], ids=in_words)
def graded(request, tmp_path_factory):
    """A lesson, its class (or only these students) after plain nbgrader has graded it, and what that wrote."""
    lesson, students = request.param
    course = lay_out(tmp_path_factory.mktemp(lesson), lesson, students)
    told = run(course.root, "nbgrader", "autograde", lesson)
    run(course.root, "nbgrader", "generate_feedback", lesson)
    return course, lesson, told


@pytest.fixture(scope="module")
def checker():
    """A process that checks notebooks outside the sandbox."""
    started = Checker()
    yield started
    started.close()


@pytest.fixture(scope="module")
def points(graded):
    course, lesson, _ = graded
    return in_gradebook(course, lesson)


def test_the_solution_is_full_and_the_rest_is_what_it_should_be(graded, points):
    lesson = graded[1]
    assert points["solution"] == full(lesson)
    assert set(points.get("release", {"": 0.0}).values()) == {0.0}
    assert all(points["wrong"][name] < worth for name, worth in full(lesson).items() if "wrong" in points)
    lost = with_files(lesson)
    assert bool(lost) == bool(OWN.of(lesson).handed_in) == ("without-file" in points)
    kept = needed_for(lesson, lost) - {*lost}
    for student in points.keys() & {"without-file", "foreign-file"}:
        expected = {name: worth if name in kept else 0.0 for name, worth in full(lesson).items()}
        assert points[student] == expected, f"{student} loses {lost}, and nothing else of what is solved"


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


@pytest.mark.parametrize("graded", [WHOLE[LAST]], indirect=True, ids=in_words)
@pytest.mark.parametrize("way", ["two workers", "without a sandbox"])
def test_another_way_gives_the_same_points(graded, points, way, tmp_path):
    _graded_again({student: points[student] for student in points if student in SOME}, graded, points, way, tmp_path)


@pytest.mark.nightly(reason="each grades once more, half a minute each")
@pytest.mark.parametrize("graded", WITH_ALL, indirect=True, ids=in_words)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_points(graded, points, way, tmp_path):
    _graded_again(points, graded, points, way, tmp_path)


def _graded_again(wanted, graded, points, way, tmp_path):
    course, lesson, _ = graded
    n, chosen = len(wanted), [part for student in wanted for part in ("--student", student)]
    copy = Course(tmp_path / "course")
    shutil.copytree(course.root, copy.root, ignore=shutil.ignore_patterns("autograded", "feedback", "results"))
    with Gradebook(f"sqlite:///{copy.grading / 'gradebook.db'}") as gradebook:
        for student in wanted:
            gradebook.remove_submission(lesson, student)
    told = run(copy.root, "autograder", "grade", lesson, *WAYS[way], *chosen)
    assert f"{n} graded ({n} now, 0 before), 0 need a human, 0 failed" in told
    assert in_gradebook(copy, lesson) == points


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


@ONE_IN_EVERY_RUN
def test_the_command_line_reports_it_too(graded):
    course, lesson, _ = graded
    [notebook] = (course.grading / "submitted" / "solution" / lesson).glob("*.ipynb")
    printed = run(course.root, "autograder", "check", str(notebook), "--json", "--seed", "11")
    told = json.loads(printed[printed.index("{") :])
    assert {one["name"]: one["earned"] for one in told["exercises"]} == full(lesson)
