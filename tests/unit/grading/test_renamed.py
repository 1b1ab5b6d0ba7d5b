"""Lessons are understood under their old names: in a notebook, in a hand-in's folder, in the roster and in course.toml."""

import json
import shutil

import click
import pytest
from known import COURSE, LESSONS

from autograder.cli.command import _current
from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import handed_in
from autograder.grading.roster.roster import read_policy, read_roster
from autograder.grading.student.locate_lesson import lesson_of
from autograder.grading.submission.match import match
from autograder.grading.submission.released import released_in

PARTS = [(old, new) for old, parts in LESSONS.renamed.items() for new in parts]


@pytest.fixture
def course(tmp_path):
    """A course with the sources of all lessons, empty ones, and nobody in it."""
    place = tmp_path / "course"
    for source in COURSE.sources():
        (place / "solutions" / source.parent.name).mkdir(parents=True)
        (place / "solutions" / source.parent.name / source.name).touch()
    return Course(place)


def test_each_new_name_is_a_lesson_and_no_old_one_is():
    assert {new for _, new in PARTS} <= {*COURSE.assignments}
    assert not LESSONS.renamed.keys() & {*COURSE.assignments}


@pytest.mark.parametrize("old", LESSONS.renamed)
def test_a_notebook_under_its_old_name_is_of_the_first_part(tmp_path, old):
    new = LESSONS.current(old)
    notebook = json.loads(COURSE.solution_notebook(new).read_text(encoding="utf8"))
    notebook["metadata"]["course"]["assignment"] = old
    path = tmp_path / "work.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf8")
    assert lesson_of(path).assignment == new
    assert LESSONS.of(old).assignment == new


@pytest.mark.parametrize("old", [old for old, parts in LESSONS.renamed.items() if len(parts) > 1])
def test_a_whole_notebook_of_a_lesson_that_was_split_counts_for_each_part(old):
    """Its cells are found by nbgrader's marks; those of the other part are ordinary cells."""
    parts = LESSONS.renamed[old]
    notebooks = [json.loads(COURSE.solution_notebook(part).read_text(encoding="utf8")) for part in parts]
    whole = notebooks[0] | {"cells": [cell for notebook in notebooks for cell in notebook["cells"]]}
    whole["metadata"]["course"]["assignment"] = old
    for part in parts:
        released = released_in(COURSE, part, LESSONS)
        assert {*match(whole, released).marked} == {*released.cells}


def test_a_hand_in_in_a_folder_of_the_old_name_is_found(course):
    submitted = course.grading / "submitted"
    for student, name in (("s01", "06-language-models"), ("s02", "06-language-models"), ("s02", "07-language-models")):
        (submitted / student / name).mkdir(parents=True)
        shutil.copy(COURSE.solution_notebook("07-language-models"), submitted / student / name)

    def folders(assignment):
        return {one.student: one.folder.name for one in handed_in(course, submitted, assignment, [])}

    assert folders("07-language-models") == {"s01": "06-language-models", "s02": "07-language-models"}
    assert folders("08-in-context-learning") == {"s01": "06-language-models", "s02": "06-language-models"}
    assert folders("05-translation") == {}


def test_the_roster_and_the_due_dates_may_name_old_lessons(course):
    (course.root / "course.toml").write_text("[due]\n04-translation = 2026-10-05T23:59:00\n")
    policy = read_policy(course)
    assert [*policy.due] == ["05-translation"]
    path = course.root / "roster.csv"
    path.write_text("id,extension,excused\ns01,08-vit: +3,05-captioning\n")
    [student] = read_roster(path, policy.zone, course.assignments, course.lessons.current)
    assert [*student.extensions] == ["11-vit"]
    assert student.is_excused("06-captioning")


@pytest.mark.parametrize(
    ("given", "means", "told"),
    [
        ("04-translation", "05-translation", "04-translation is called 05-translation now.\n"),
        ("01-attention", "01-attention", ""),
        ("99-nothing", "99-nothing", ""),
    ],
)
def test_a_command_says_the_new_name(monkeypatch, capsys, given, means, told):
    monkeypatch.chdir(COURSE.root)
    command = click.Command("grade")
    assert _current(click.Context(command), click.Argument(["assignment"]), given) == means
    assert capsys.readouterr().err == told


def test_a_command_names_the_second_part(monkeypatch, capsys):
    monkeypatch.chdir(COURSE.root)
    assert (
        _current(click.Context(click.Command("grade")), click.Argument(["assignment"]), "10-retrieval")
        == "13-retrieval"
    )
    told = capsys.readouterr().err
    assert "10-retrieval is called 13-retrieval now." in told
    assert "run the command for 14-recommendation, too" in told
