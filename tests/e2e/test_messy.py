"""A class of real-world hand-ins: each is graded, or gets a reason on which a teaching assistant can act."""

import csv
import json
import unicodedata

import messy
import pytest
from messy import CASES, Kit
from sample_class import ASSIGNMENT
from whole_way import run

from autograder.content import notebook
from autograder.grading.course import find_course
from autograder.grading.gradebook.queries import committed_scores, database
from autograder.grading.run.status import GRADED, HUMAN, load_status

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

LIMITS = json.dumps({"cell_cpu": 2, "request_cpu": 2, "idle": 2, "stops": 2})


def normal(student):
    return unicodedata.normalize("NFC", student)


@pytest.fixture(scope="module")
def course(sample_class, tmp_path_factory):
    """A course in which every case has been handed in, and whose roster knows one student by name."""
    import shutil

    from nbgrader.api import Gradebook

    from autograder.grading.course import Course

    place = tmp_path_factory.mktemp("messy") / "course"
    shutil.copytree(sample_class, place)
    shutil.rmtree(place / "grading" / "submitted")
    released = notebook.read(place / "assignments" / ASSIGNMENT / messy.NAME)
    kit = Kit(released, notebook.read(find_course().solution_notebook(ASSIGNMENT)))
    for case in CASES:
        folder = place / "grading" / "submitted" / case.student / ASSIGNMENT
        folder.mkdir(parents=True)
        case.hand_in(kit, folder)
    with Gradebook(database(Course(place))) as gradebook:
        gradebook.add_student(unicodedata.normalize("NFC", "zoë"), first_name="Zoë")
    return Course(place)


@pytest.fixture(scope="module")
def told(course):
    """What the class runner prints."""
    return run(course.root, "autograder", "grade", ASSIGNMENT, "--limits", LIMITS)


@pytest.fixture(scope="module")
def outcomes(course, told):
    return load_status(course.grading, ASSIGNMENT)


def test_there_are_sixty_cases(outcomes):
    assert len(CASES) >= 60
    assert len({normal(case.student) for case in CASES}) == len(CASES) == len(outcomes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.student)
def test_each_is_graded_or_has_its_reason(outcomes, course, case):
    outcome = outcomes[normal(case.student)]
    assert outcome.state == (HUMAN if case.earns is None else GRADED), outcome
    said = " ".join([outcome.reason, *outcome.notes])
    assert [part for part in case.told if part not in said] == [], said
    if case.earns is not None:
        there = committed_scores(database(course), ASSIGNMENT)[normal(case.student)]
        assert sum(points or 0 for points in there.scores.values()) == outcome.earned == case.earns
        others = [note for note in outcome.notes if not note.startswith("the same work as")]
        assert case.told or not others, "nobody has to look at this one"


def test_the_counts_add_up_and_what_to_look_at_is_listed(told):
    human = sum(case.earns is None for case in CASES)
    graded = len(CASES) - human
    assert f"{len(CASES)} submissions, {graded} graded ({graded} now, 0 before), {human} need a human, 0 failed" in told
    assert "please look" in told


def test_one_student_however_the_letters_are_encoded(course, told):
    assert normal("zoë") in committed_scores(database(course), ASSIGNMENT)
    assert unicodedata.normalize("NFD", "zoë") not in committed_scores(database(course), ASSIGNMENT)


@pytest.mark.nightly(reason="the commands share all but the last step, which test_whole_way follows for every lesson")
def test_plain_nbgrader_says_the_same(course, outcomes, tmp_path):
    """On a copy: with the same results, but each written by the other command."""
    import shutil

    from autograder.grading.course import Course

    copy = Course(tmp_path / "course")
    shutil.copytree(course.root, copy.root, symlinks=True, ignore=shutil.ignore_patterns("autograded", "outcomes"))
    config = copy.root / "nbgrader_config.py"
    more = f"\nget_config().SealedAutograde.limits = {json.loads(LIMITS)!r}\n"
    config.write_text(config.read_text(encoding="utf8") + more, encoding="utf8")
    printed = run(copy.root, "nbgrader", "autograde", ASSIGNMENT)
    again = load_status(copy.grading, ASSIGNMENT)
    assert {s: (o.state, o.earned, o.reason) for s, o in again.items()} == {
        s: (o.state, o.earned, o.reason) for s, o in outcomes.items()
    }
    assert len([line for line in printed.splitlines() if " points in " in line]) == sum(
        c.earns is not None for c in CASES
    )
    run(copy.root, "nbgrader", "generate_feedback", ASSIGNMENT)
    pages = {path.parent.parent.name for path in (copy.grading / "feedback").glob("*/*/*.html")}
    assert pages == {student for student, outcome in outcomes.items() if outcome.state == GRADED}
    run(copy.root, "nbgrader", "export")
    with open(copy.grading / "grades.csv", newline="", encoding="utf8") as file:
        rows = {row["student_id"].removeprefix("'"): row for row in csv.DictReader(file)}
    for student, outcome in outcomes.items():
        assert rows[student]["state"] == outcome.state
        assert rows[student]["score"] == (str(outcome.earned) if outcome.state == GRADED else "")
