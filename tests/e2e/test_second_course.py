"""The engine serves another course: built, checked, audited and graded by the same commands."""

import csv
import json
import shutil

import matplotlib.pyplot
import pytest
from known import COURSE

from autograder.cli.main import main
from autograder.content import notebook as notebooks
from autograder.grading.gradebook.queries import committed_scores, database

LESSON = "01-averages"


@pytest.fixture(scope="module")
def built(root, tmp_path_factory):
    """The course, built by the command, in a folder that has nothing to do with this one."""
    place = tmp_path_factory.mktemp("elsewhere") / "signals"
    shutil.copytree(root / "tests" / "second_course", place)
    return place


@pytest.fixture(scope="module")
def run(built):
    from whole_way import run

    return lambda command, *arguments, **more: run(built, command, *arguments, **more)


@pytest.fixture
def here(monkeypatch, capsys):
    """Run ``autograder`` in this process, in a course; return what it printed."""

    def run(course, *arguments):
        with monkeypatch.context() as patch:
            patch.chdir(course)
            status = main([*arguments])
        told = capsys.readouterr()
        assert status == 0, told.err
        return told.out

    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield run
    matplotlib.pyplot.switch_backend("agg")  # notebooks draw inline


def hand_in(place, student, name, text):
    notebook = notebooks.read(place / "solutions" / LESSON / "averages.ipynb")
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) == name:
            cell["source"] = text
    folder = place / "grading" / "submitted" / student / LESSON
    folder.mkdir(parents=True)
    (folder / "averages.ipynb").write_text(json.dumps(notebook), encoding="utf8")


@pytest.mark.sandbox
@pytest.mark.e2e
def test_second_course_is_built_checked_audited_and_graded(built, run, here):
    assert "01-averages: built; the solution earns every point" in run("autograder", "build")
    release = (built / "assignments" / LESSON / "averages.ipynb").read_text(encoding="utf8")
    assert "NotImplementedError" in release
    assert "centred**2" not in release
    checked = here(built, "check", f"solutions/{LESSON}/averages.ipynb", "--json")
    assert json.loads(checked[checked.index("{") :])["earned"] == 10
    found = here(built, "audit", "--workers", "1")
    assert "audit: 12 answers, 0 wrong verdicts, 0 wrong answers without a name" in found
    assert "-    return (x - x.mean()) / x.std(correction=0)" in run("autograder", "answers", "standardise")

    run("nbgrader", "generate_assignment", LESSON, "--force")
    hand_in(built, "ada", "nothing", "")
    hand_in(built, "ben", "standardise", "def standardise(x):\n    return (x - x.mean()) / x.std()")
    hand_in(built, "eve", "standardise", "import signal_lessons.averages.references as r\nstandardise = r.standardise")
    below = "torch.ops.aten.avg_pool1d(standardise(x)[None], [width], [1])[0]"
    hand_in(built, "kim", "moving_average", f"def moving_average(x, width):\n    return {below}")
    run("autograder", "grade", LESSON, "--workers", "1")
    points = {
        name: sum(found.scores.values()) for name, found in committed_scores(built_database(built), LESSON).items()
    }
    # What builds on a wrong exercise is checked with a right one.
    assert points == {"ada": 10.0, "ben": 8.0, "eve": 7.0, "kim": 6.0}
    run("nbgrader", "autograde", LESSON, "--force")
    again = {
        name: sum(found.scores.values()) for name, found in committed_scores(built_database(built), LESSON).items()
    }
    assert again == points
    run("nbgrader", "generate_feedback", LESSON)
    page = (built / "grading" / "feedback" / "ben" / LESSON / "averages.html").read_text(encoding="utf8")
    assert "unbiased" in page
    run("nbgrader", "export")
    with open(built / "grading" / "grades.csv", encoding="utf8", newline="") as file:
        assert {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)} == points


def built_database(place):
    from autograder.grading.course import Course

    return database(Course(place))


def test_a_package_that_is_not_there_is_a_clear_error(second_course, command):
    shutil.rmtree(second_course.root / "signal_lessons")
    done = command("autograder", "build", cwd=second_course.root)
    assert done.returncode == 2
    assert "There is no package 'signal_lessons' with the course's lessons" in done.stderr


def test_a_notebook_of_the_built_in_lessons_is_checked_in_the_folder_of_another_course(second_course, here):
    second_course.lessons.load()
    told = here(second_course.root, "check", str(COURSE.solution_notebook("01-attention")), "--exercise", "softmax")
    assert told.splitlines()[-1].split() == ["total", "7", "of", "7", "points"]
