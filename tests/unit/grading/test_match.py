"""What of a submitted notebook counts as which released cell, without grading anything."""

import json

import pytest
from known import COURSE, LESSONS

from autograder.content import notebook as notebooks
from autograder.grading.submission import read
from autograder.grading.submission.match import match
from autograder.grading.submission.released import from_notebook

LESSON = COURSE.assignments[0]
[PATH] = (COURSE.release / LESSON).glob("*.ipynb")
RELEASED = from_notebook(LESSON, PATH.name, notebooks.read(PATH), LESSONS)


@pytest.fixture
def submitted():
    """A submitted notebook, to be changed: the release."""
    return json.loads(PATH.read_text(encoding="utf8"))


def cell_of(cells, name):
    """Return the text of each cell that counts as the released one of this name."""
    return [notebooks.source(cell) for cell in cells if notebooks.grade_id(cell) == name]


def change(notebook, name, text, **metadata):
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) == name:
            cell["source"] = text
            cell["metadata"]["nbgrader"] |= metadata


def test_an_untouched_release_is_one_and_has_every_cell_once(submitted):
    found = match(submitted, RELEASED)
    assert found.untouched
    assert sorted(found.marked) == sorted(RELEASED.cells)
    assert found.recognised == []


def test_the_first_of_two_equal_cells_counts(submitted):
    change(submitted, "softmax", "def softmax(E, dim=-1):\n    return 1")
    copies = [cell for cell in submitted["cells"] if notebooks.grade_id(cell) == "softmax"]
    later = json.loads(json.dumps(copies[0])) | {"source": "def softmax(E, dim=-1):\n    return 2"}
    submitted["cells"].append(later)
    cells = match(submitted, RELEASED).cells
    assert cell_of(cells, "softmax") == ["def softmax(E, dim=-1):\n    return 1"]
    assert [notebooks.source(cell) for cell in cells].count(later["source"]) == 1, (
        "the other one is kept, and still runs"
    )


def test_a_check_has_its_released_text_and_points_whatever_was_handed_in(submitted):
    change(submitted, "check-softmax", "1000", points=1000, grade=False, solution=True, locked=False)
    [cell] = [c for c in match(submitted, RELEASED).cells if notebooks.grade_id(c) == "check-softmax"]
    assert notebooks.source(cell) == 'check("softmax")'
    assert cell["metadata"]["nbgrader"]["points"] == 7
    assert cell["metadata"]["nbgrader"]["grade"]


def test_a_check_that_is_missing_comes_back(submitted):
    submitted["cells"] = [cell for cell in submitted["cells"] if notebooks.grade_id(cell) != "check-softmax"]
    assert cell_of(match(submitted, RELEASED).cells, "check-softmax") == ['check("softmax")']


def test_a_cell_that_has_lost_its_mark_is_known_by_what_it_defines(submitted):
    text = "def softmax(E, dim=-1):\n    return torch.exp(E)"
    change(submitted, "softmax", text)
    for cell in submitted["cells"]:
        cell["metadata"] = {}
    found = match(submitted, RELEASED)
    assert "softmax" in found.recognised
    assert cell_of(found.cells, "softmax") == [text]


@pytest.mark.parametrize("cells", [None, {}, [1], "cells"])
def test_invalid_cells_are_an_error(cells):
    with pytest.raises(ValueError, match="expected a list of cells"):
        match({"cells": cells}, RELEASED)


@pytest.mark.parametrize(
    "name",
    [
        *("Copy of model", "model-Copy1", "model - Copy (2)", "model copy 2", "model (1)", "model-2"),
        *("Kopie von model (3)", "MODEL copy"),
    ],
)
def test_a_copy_counts_under_the_name_of_what_was_copied(name):
    found, notes = read.with_expected_names({f"{name}.safetensors": b"w"}, ["model.safetensors"])
    assert found == {"model.safetensors": b"w"}
    assert notes == [f"{name}.safetensors was used as model.safetensors"]


def test_an_expected_file_is_not_taken_for_a_copy_of_another():
    found, notes = read.with_expected_names({"weights-2.bin": b"2"}, ["weights.bin", "weights-2.bin"])
    assert found == {"weights-2.bin": b"2"}
    assert notes == ["weights.bin was not handed in"]


def test_of_two_copies_neither_counts():
    found, notes = read.with_expected_names({"model (1).st": b"1", "Copy of model.st": b"2"}, ["model.st"])
    assert "model.st" not in found
    assert "there are 'model (1).st' and 'Copy of model.st'" in notes[0]


def test_a_folder_in_other_capitals_is_the_students_of_the_roster(tmp_path):
    for name in ("s01", "S02"):
        (tmp_path / name / LESSON).mkdir(parents=True)
    assert [one.student for one in read.hand_ins(tmp_path, LESSON, ["S01", "s02"])] == ["S01", "s02"]
