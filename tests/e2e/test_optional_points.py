"""What optional parts are worth: one class, graded both ways under each setting of ``course.toml``, by the users' commands."""

import csv
import re
import shutil

import pytest
from nbgrader.api import Gradebook
from some_cases import one_in
from whole_way import hand_in, run, with_texts

from autograder.content import notebook as notebooks
from autograder.grading.course import Course
from autograder.grading.gradebook.queries import committed_scores, database

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

LESSON = "01-averages"
#: The exercise that is optional here, and a mistake in it; a mistake in the core.
OPTIONAL, HALF = "moving_average", "def moving_average(x, width):\n    return x[: len(x) - width + 1]"
WRONG = {"standardise": "def standardise(x):\n    return (x - x.mean()) / x.std()"}
#: What each student did with the core and with the optional exercise.
DID = {"done": ("wrong", "done"), "left": ("wrong", "left"), "half": ("wrong", "half"), "full": ("right", "done")}


@pytest.fixture(scope="module")
def course(root, tmp_path_factory):
    """The second course, with an optional section: built, released, and a class that nobody has graded yet."""
    place = tmp_path_factory.mktemp("optional") / "signals"
    shutil.copytree(root / "tests" / "second_course", place)
    source = place / "solutions" / LESSON / "averages.py"
    text = source.read_text(encoding="utf8")
    for old, new in {
        "### 1.2 Windows": "### 1.2 Windows (optional)",
        "**Exercise 2.**": "**Exercise 2 (optional).**",
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    source.write_text(text, encoding="utf8")
    settings = place / "signal_lessons" / "averages" / "__init__.py"
    settings.write_text(settings.read_text(encoding="utf8") + f'\nOPTIONAL = ("{OPTIONAL}",)\n', encoding="utf8")
    run(place, "autograder", "build")
    run(place, "nbgrader", "generate_assignment", LESSON, "--force")
    solution = notebooks.read(place / "solutions" / LESSON / "averages.ipynb")
    stubs = {
        notebooks.grade_id(cell): notebooks.source(cell)
        for cell in notebooks.read(place / "assignments" / LESSON / "averages.ipynb")["cells"]
    }
    for student, (core, optional) in DID.items():
        texts = {"done": {}, "left": {OPTIONAL: stubs[OPTIONAL]}, "half": {OPTIONAL: HALF}}[optional]
        changed = with_texts(solution, texts | (WRONG if core == "wrong" else {}))
        hand_in(place, student, LESSON, "averages.ipynb", changed, {})
    return Course(place)


def in_nbgrader(course):
    """Return the points and the points possible of each student, as nbgrader itself adds them up."""
    with Gradebook(database(course)) as gradebook:
        return {
            one.student.id: (round(one.score, 4), one.max_score) for one in gradebook.assignment_submissions(LESSON)
        }


def by_the_rule(scores, rule):
    """Return each student's points and the points possible, from the points of all cells; ``full`` has all of them."""
    worth = scores["full"]
    assert sum(worth.values()) == 10
    of_optional = worth[f"check-{OPTIONAL}"]
    of_core = sum(worth.values()) - of_optional
    expected = {}
    for student, by_cell in scores.items():
        optional = by_cell[f"check-{OPTIONAL}"]
        core = sum(by_cell.values()) - optional
        expected[student] = {
            "bonus": (min(core + optional, of_core), of_core),
            "count": (core + optional, of_core + of_optional),
            "ignore": (core, of_core),
        }[rule]
        if DID[student][0] == "wrong":
            assert core < of_core
    return expected


@pytest.mark.parametrize("rule", one_in(3, ["bonus", "count", "ignore"], "the same six commands under another rule"))
def test_a_hand_in_counts_by_the_rule_wherever_its_points_are_shown(course, rule):
    (course.root / "course.toml").write_text(f'optional = "{rule}"\n', encoding="utf8")
    run(course.root, "nbgrader", "autograde", LESSON, "--force")
    scores = {
        student: {name: points for name, points in there.scores.items() if name.startswith("check-")}
        for student, there in committed_scores(database(course), LESSON).items()
    }
    of_optional = scores["full"][f"check-{OPTIONAL}"]
    expected = by_the_rule(scores, rule)
    assert scores["left"][f"check-{OPTIONAL}"] == 0 < scores["half"][f"check-{OPTIONAL}"] < of_optional
    assert in_nbgrader(course) == expected, "nbgrader autograde"

    with Gradebook(database(course)) as gradebook:
        gradebook.remove_submission(LESSON, "half")
    run(course.root, "autograder", "grade", LESSON, "--workers", "1")
    assert in_nbgrader(course) == expected, "autograder grade, which takes the results of the other command"

    run(course.root, "nbgrader", "export")
    with (course.grading / "grades.csv").open(encoding="utf8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {who: (float(row["score"]), float(row["max_score"])) for who, row in rows.items()} == expected

    run(course.root, "autograder", "export", LESSON, "--to", "csv", "--output", "grades.csv")
    with (course.root / "grades.csv").open(encoding="utf8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {who: (float(row["points"]), float(row["possible"])) for who, row in rows.items()} == expected

    run(course.root, "autograder", "feedback", LESSON)
    for student, total in expected.items():
        page = (course.grading / "feedback" / student / LESSON / "averages.html").read_text(encoding="utf8")
        [shown] = re.findall(r'<p id="total"><b>([\d.]+) of ([\d.]+) points</b>', page)
        assert tuple(map(float, shown)) == total
        assert f"{OPTIONAL} (optional)</a>" in page
        assert {"bonus": "make up for others", "count": "as all others do", "ignore": "do not count"}[rule] in page

    told = run(course.root, "autograder", "why", "half", LESSON)
    assert re.search(rf"{OPTIONAL} \(optional\) +{scores['half'][f'check-{OPTIONAL}']:g} of {of_optional:g}", told)


@pytest.mark.nightly(reason="three commands more on the class")
def test_an_assignment_can_be_generated_again_when_its_points_have_been_balanced(course):
    (course.root / "course.toml").write_text('optional = "bonus"\n', encoding="utf8")
    run(course.root, "autograder", "grade", LESSON, "--workers", "1")
    before = in_nbgrader(course)
    run(course.root, "nbgrader", "generate_assignment", LESSON, "--force")
    run(course.root, "autograder", "grade", LESSON, "--workers", "1")
    assert in_nbgrader(course) == before
    assert before["left"] != before["done"]


def test_a_student_sees_what_is_optional(course):
    path = course.solutions / LESSON / "averages.ipynb"
    told = run(course.root, "autograder", "check", str(path))
    assert f"\n{OPTIONAL} (optional) " in told
    assert "\nstandardise  " in told
