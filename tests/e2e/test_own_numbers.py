"""Numbers of each student's own, the whole way: two students, their notebooks swapped, a group, and an impostor."""

import shutil

import pytest
from sample_class import hand_in_with
from whole_way import run as run_in

from autograder.grading.course import Course
from autograder.grading.gradebook.queries import committed_key, committed_scores, database
from autograder.grading.run.store import Store
from autograder.grading.submission.released import released_in
from course_lib import variants

LESSON = "01-averages"

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

#: What an impostor tries: to be somebody else for all that the notebook can see.
HOSTILE = """
import os, pathlib, sys, types
os.environ["JUPYTERHUB_USER"] = "ada"
pathlib.Path(".autograder").mkdir(exist_ok=True)
pathlib.Path(".autograder", "student").write_text("ada")
from course_lib import variants
real = variants.numbers
variants.grade_as("ada")
variants._GRADED = variants._HERE = "ada"
variants.i_am("ada")
variants.student = lambda *_: "ada"
variants.numbers = lambda exercise, who=None: real(exercise, "ada")
sys.modules["course_lib.variants"] = types.SimpleNamespace(**vars(variants))
from autograder.runtime import student
student.RequestBuilder.student_id = "ada"
"""


def written_down(who):
    """The answer of a student who has written the numbers of an id into it."""
    own = variants.numbers("echo", who)
    delay, strength = own.randrange(2, 40), round(own.uniform(0.2, 0.9), 2)
    late = f"late = torch.zeros_like(x)\n    late[{delay}:] = x[:-{delay}]"
    return f"def echo(x):\n    {late}\n    return x + {strength} * late\n"


def hand_in(place, student, text):
    folder = place / "grading" / "submitted" / student / LESSON
    hand_in_with(place / "solutions" / LESSON / "averages.ipynb", folder, "echo", text)
    return folder


@pytest.fixture(scope="module")
def place(root, tmp_path_factory):
    """A course that is built, with a class that is graded. Not to be written to."""
    made = tmp_path_factory.mktemp("rooms") / "signals"
    shutil.copytree(root / "tests" / "second_course", made)
    run_in(made, "autograder", "build")
    run_in(made, "nbgrader", "generate_assignment", LESSON, "--force")
    for student in ("ada", "ben", "gil"):
        hand_in(made, student, written_down(student))
    hand_in(made, "kim", written_down(""))
    disguised = hand_in(made, "eve", HOSTILE + written_down("ada"))
    (disguised / ".autograder").mkdir()
    (disguised / ".autograder" / "student").write_text("ada")
    (made / "grading" / "roster.csv").write_text("id,group\nada,\nben,\neve,\ngil,room\nhal,room\nkim,\n")
    run_in(made, "autograder", "grade", LESSON, "--workers", "1")
    return made


def points(place):
    found = committed_scores(database(Course(place)), LESSON)
    return {name: sum(one.scores.values()) for name, one in found.items()}


def results(place):
    course = Course(place)
    keys = {who: committed_key(course, released_in(course, LESSON), who) for who in points(place)}
    return {who: Store(course.grading).get(key) for who, key in keys.items()}


def verdicts(place):
    return {who: (one.scores, one.exercises, one.notes) for who, one in results(place).items()}


RIGHT = {"ada": 10, "ben": 10, "gil": 10, "hal": 10, "eve": 8, "kim": 8}


def test_own_numbers_are_right_and_an_impostor_gains_nothing(place, tmp_path):
    assert points(place) == RIGHT
    assert {who: one.author for who, one in results(place).items()} == {who: who for who in RIGHT} | {"hal": "gil"}
    shutil.copytree(place, tmp_path / "again")
    run_in(tmp_path / "again", "nbgrader", "autograde", LESSON, "--force")
    assert points(tmp_path / "again") == RIGHT
    assert verdicts(tmp_path / "again") == verdicts(place)


@pytest.mark.nightly(reason="one command more on the class that another test grades twice")
def test_swapped_notebooks_lose_points_with_the_reason(place, tmp_path):
    """Their bytes have been graded, but not for these students."""
    made = tmp_path / "swapped"
    shutil.copytree(place, made)
    one, other = (made / "grading" / "submitted" / who / LESSON / "averages.ipynb" for who in ("ada", "ben"))
    theirs, others = one.read_bytes(), other.read_bytes()
    one.write_bytes(others)
    other.write_bytes(theirs)
    run_in(made, "nbgrader", "autograde", LESSON, "--force")
    assert points(made) == RIGHT | {"ada": 8, "ben": 8}
    before, swapped = results(place), results(made)
    assert (swapped["ada"].digest, swapped["ben"].digest) == (before["ben"].digest, before["ada"].digest)
    assert [note for note in swapped["ada"].notes if "numbers" in note] == ["echo: right with the numbers of ben"]
    run_in(made, "autograder", "feedback", LESSON)
    page = (made / "grading" / "feedback" / "ada" / LESSON / "averages.html").read_text(encoding="utf8")
    assert "another student" in page
    assert "numbers of ben" not in page


@pytest.mark.nightly(reason="two commands more on the class that the others grade")
def test_a_teacher_sees_whose_numbers_they_are(place):
    eve = run_in(place, "autograder", "why", "eve", LESSON)
    assert "please look: echo: right with the numbers of ada" in eve
    assert "The numbers are those of eve." in eve
    assert "Likely cause: another student's numbers." in eve
    assert "Likely cause: nobody's numbers." in run_in(place, "autograder", "why", "kim", LESSON)
    assert "The numbers are those of gil." in run_in(place, "autograder", "why", "hal", LESSON)
    assert "The same result again." in run_in(place, "autograder", "replay", "eve", LESSON)


def test_reports_commands_that_do_not_support_variants(place):
    told = run_in(place, "autograder", "adopt", "ada", "echo", good=(2,))
    assert "An answer to echo has the numbers of ada, and a case holds for everyone." in told
    told = run_in(place, "autograder", "gradescope", LESSON, good=(2,))
    assert "Gradescope's container does not know the ids of your class" in told


@pytest.mark.nightly(reason="two commands more on the class that the others grade")
def test_a_student_sees_whose_numbers_count(place, tmp_path):
    """On the command line, from what the notebook has kept, or as somebody else."""
    shutil.copytree(place, tmp_path / "signals")
    own = tmp_path / "signals" / "work" / LESSON
    shutil.copytree(place / "grading" / "submitted" / "ada" / LESSON, own)
    unknown = run_in(own, "autograder", "check", "averages.ipynb", good=(1,))
    assert "this notebook does not know who you are" in unknown
    told = run_in(own, "autograder", "check", "averages.ipynb", "--student", "Ada")
    assert "The numbers are those of Ada." in told
    assert told.split()[-4:] == ["10", "of", "10", "points"]
    (own / ".autograder").mkdir()
    (own / ".autograder" / "student").write_text("ada\n")
    told = run_in(own, "autograder", "hand-in", "averages.ipynb")
    assert "The numbers are those of ada." in told
    assert "Nothing is missing." in told
