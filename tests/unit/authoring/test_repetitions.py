"""Trainings from other seeds: which cells they run again, and what is left behind."""

import json

import pytest
from known import COURSE, LESSONS

from autograder.authoring.seeds import cell_indices, cells_of, chosen_trainings, run_trainings
from autograder.checks.properties import Repetition

WITH_SEEDS = [name for name in COURSE.assignments if LESSONS.of(name).has("seeds")]

CELLS = [
    "steps = 3",
    "seed = 0\nresult = 10 * seed + steps",
    "from pathlib import Path\nseen = Path('weights').exists()\nPath('weights').touch()",
    "result = -1",
]
TRAINING = Repetition(
    "a", ("result = 10", "seen ="), {"result": "result", "seen": "seen"}, {"seed = 0": "seed = {seed}"}
)


@pytest.mark.parametrize("assignment", WITH_SEEDS)
def test_the_trainings_of_a_lesson_are_in_its_source(assignment):
    """Otherwise a cell that was rewritten is missed after an hour of training, or seed 0 is trained five times."""
    trainings = LESSONS.of(assignment).module("seeds").TRAININGS
    cells = cells_of(COURSE.source_of(assignment))
    assert trainings
    assert len({training.name for training in trainings}) == len(trainings)
    for training in trainings:
        assert cell_indices(cells, training)
        changes = training.first + "".join(training.replace.values())
        assert "{seed}" in changes or len(training.seeds) == 1


@pytest.mark.parametrize(
    ("assignment", "names", "told"),
    [("01-attention", (), "01-attention has no seeds.py"), (WITH_SEEDS[0], ("nosuch",), "has no training 'nosuch'")],
)
def test_where_there_is_nothing_to_train_it_says_so(assignment, names, told):
    with pytest.raises(LookupError, match=rf"{told}.*Expected"):
        chosen_trainings(COURSE, assignment, names)


def test_each_seed_runs_the_cells_again_and_leaves_nothing(tmp_path):
    (tmp_path / "weights").touch()  # a checkpoint of the solution: no repetition may find it
    found = list(run_trainings([*CELLS, "assert result == -1"], [TRAINING], tmp_path, set()))
    assert [line["values"] for line in found] == [{"result": 10 * seed + 3, "seen": False} for seed in range(5)]
    assert [line["seed"] for line in found] == [0, 1, 2, 3, 4]
    json.dumps(found)


def test_names_are_as_before_after_a_repetition(tmp_path):
    later = Repetition("later", ("again =",), {"result": "again"}, first="other = {seed}")
    cells = [*CELLS[:2], "again = result if 'seen' not in globals() else None"]
    training = Repetition("a", ("result = 10",), {"result": "result"}, {"seed = 0": "seed = {seed}"}, "seen = True")
    found = list(run_trainings(cells, [training, later], tmp_path, set()))
    assert [line["values"]["result"] for line in found] == [3, 13, 23, 33, 43] + 5 * [3]


def test_a_failed_seed_is_reported_and_the_others_go_on(tmp_path):
    training = Repetition("a", ("result = 10",), {"result": "1 / result"}, {"seed = 0": "seed = {seed}", "+ steps": ""})
    found = list(run_trainings(CELLS[:2], [training], tmp_path, {("a", 3)}))
    assert [line["seed"] for line in found] == [0, 1, 2, 4]
    assert "ZeroDivisionError" in found[0]["error"]
    assert found[1]["values"] == {"result": 0.1}


@pytest.mark.parametrize(
    ("training", "message"),
    [
        (Repetition("a", ("result",), {}), "expected 'result' in one cell, but it stands in 2"),
        (Repetition("a", ("nowhere",), {}), "it stands in 0"),
        (Repetition("a", ("seen =",), {}, {"seed = 0": ""}), "'seed = 0' is to be replaced"),
    ],
)
def test_a_text_that_is_not_where_it_should_be_is_an_error(training, message):
    with pytest.raises(ValueError, match=message):
        cell_indices(CELLS, training)
