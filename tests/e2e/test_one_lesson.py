"""The whole way once, with the users' own commands: an author builds lesson 01, four hand in, a teaching assistant grades.

``test_whole_way.py`` follows every lesson; this one is fast enough for every change.
"""

import csv
import shutil

import pytest
from known import COURSE, LESSONS, of
from whole_way import full, hand_in, in_gradebook, on_pages, run, with_texts

from autograder.content import notebook as notebooks
from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox

LESSON = COURSE.assignments[0]
FULL = full(LESSON)
ONE = "softmax"
MISTAKE = next(case for case in of(ONE, right=False, assignment=LESSON) if case.name == "base_two")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course after the author's and the teaching assistant's commands: both ways to grade, the pages, the export."""
    place = tmp_path_factory.mktemp("smoke") / "course"
    (place / "solutions").mkdir(parents=True)
    for name in ("nbgrader_config.py", "pyproject.toml"):
        shutil.copy(COURSE.root / name, place)
    shutil.copytree(
        COURSE.solutions / LESSON, place / "solutions" / LESSON, ignore=shutil.ignore_patterns("*.ipynb", ".*")
    )
    run(place, "autograder", "build", LESSON)
    run(place, "nbgrader", "generate_assignment", LESSON, "--force")
    name = COURSE.solution_notebook(LESSON).name
    release = notebooks.read(place / "assignments" / LESSON / name)
    solution = notebooks.read(place / "solutions" / LESSON / name)
    right = of(ONE, right=True, assignment=LESSON)[0].text
    for student, notebook in {
        "ann": solution,
        "ben": release,
        "cem": with_texts(release, {ONE: MISTAKE.text}),
        "dee": with_texts(release, {ONE: right}),
    }.items():
        hand_in(place, student, LESSON, name, notebook, {})
    run(place, "nbgrader", "autograde", LESSON, "--student", "dee")
    run(place, "autograder", "grade", LESSON, "--workers", "1")
    run(place, "autograder", "feedback", LESSON)
    run(place, "autograder", "export", LESSON, "--to", "csv")
    return Course(place)


@pytest.fixture(scope="module")
def points(course):
    return in_gradebook(course, LESSON)


def test_built_notebooks_equal_the_committed_ones(course):
    name = COURSE.solution_notebook(LESSON).name
    for folder in ("solutions", "assignments"):
        assert (course.root / folder / LESSON / name).read_bytes() == (
            COURSE.root / folder / LESSON / name
        ).read_bytes()


def test_the_gradebook_has_everyones_points(points):
    nothing = dict.fromkeys(FULL, 0.0)
    assert points["ann"] == FULL
    assert points["ben"] == nothing
    assert points["dee"] == nothing | {ONE: FULL[ONE]}, "sealed by plain nbgrader, the others by autograder grade"
    assert 0 < points["cem"][ONE] < FULL[ONE]
    assert points["cem"] == nothing | {ONE: points["cem"][ONE]}


def test_the_pages_have_the_points_and_name_the_mistake(course, points):
    assert on_pages(course, LESSON) == {student: sum(scores.values()) for student, scores in points.items()}
    [page] = (course.grading / "feedback" / "cem" / LESSON).glob("*.html")
    assert MISTAKE.title in page.read_text(encoding="utf8")


def test_the_export_has_the_points(course, points):
    [path] = (course.grading / "export").glob("*.csv")
    with path.open(encoding="utf8", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(points)
    assert {who: float(row["points_before_penalty"]) for who, row in rows.items()} == {
        who: sum(scores.values()) for who, scores in points.items()
    }


def test_every_exercise_of_the_lesson_is_worth_something():
    assert set(FULL) == set(LESSONS.of(LESSON).exercises)
