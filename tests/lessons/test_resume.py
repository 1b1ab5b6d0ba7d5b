"""A lesson's training, interrupted in its second half, goes on to the weights that it has without the interruption."""

import os
import signal
from contextlib import chdir

import jupytext
import pytest
import torch
from known import COURSE

from autograder.content.notebook import checked_exercise
from course_lib.training import fit

STEPS, STOP = 12, 9
#: Lesson, its model, the experiments' cells that lead to it, and what makes the training short.
TRAININGS = [
    (
        "12-vision-language",
        "clip",
        ("SEED, BATCH, STEPS = 0",),
        {
            "draw_captioned_digits(20_000,": "draw_captioned_digits(200,",
            "STEPS = 0, 128, 1200": f"STEPS = 0, 16, {STEPS}",
        },
    ),
    (
        "12-vision-language",
        "answering",
        ("QUESTION_SEED, QUESTION_STEPS = 0",),
        {"QUESTION_STEPS = 0, 3000": f"QUESTION_STEPS = 0, {STEPS}", "draw_scenes(9000,": "draw_scenes(40,"},
    ),
    (
        "13-retrieval",
        "search",
        ("learning, trying = draw_search(", "class Teacher"),
        {
            "draw_search(10_000,": "draw_search(150,",
            "0, 700, 350, 20.0": f"0, {STEPS}, 6, 20.0",
            "every=175": "every=5",
        },
    ),
    (
        "14-recommendation",
        "recommender",
        ("histories = world.draw_histories(", "def next_video_loss", "RECOMMENDER_SEED, LEARNING_RATE = 0"),
        {
            "draw_histories(20_000,": "draw_histories(500,",
            "draw_histories(1000,": "draw_histories(20,",
            "steps=800": f"steps={STEPS}",
            "validate_every=100": "validate_every=5",
        },
    ),
]


@pytest.mark.parametrize(("assignment", "model", "experiments", "short"), TRAININGS, ids=lambda value: str(value)[:20])
@pytest.mark.slow
def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(tmp_path, assignment, model, experiments, short):
    [source] = [source for source in COURSE.sources() if source.parent.name == assignment]
    cells = [cell for cell in jupytext.read(source).cells if cell.cell_type == "code"]
    last = next(number for number, cell in enumerate(cells) if experiments[-1] in cell.source)
    chosen = [
        cell.source
        for cell in cells[: last + 1]
        if any(text in cell.source for text in experiments)
        or not (cell.metadata.get("tags") or checked_exercise(cell.source))
    ]
    for old, new in short.items():
        assert sum(old in text for text in chosen) == 1, old
        chosen = [text.replace(old, new) for text in chosen]

    names = {"__name__": "__main__"}
    with chdir(tmp_path):
        for text in chosen[:-1]:
            exec(compile(text, assignment, "exec"), names)

        def train(folder, stop=None):
            drawn = []

            def short_fit(model, loss, batches, **options):
                def draw(generator):
                    drawn.append(1)
                    if len(drawn) == stop:
                        os.kill(os.getpid(), signal.SIGINT)
                    return batches(generator)

                return fit(model, loss, draw, **options | {"warmup": 2, "show": False, "device": "cpu"})

            (tmp_path / folder).mkdir(exist_ok=True)
            with chdir(tmp_path / folder):
                exec(compile(chosen[-1], assignment, "exec"), found := names | {"fit": short_fit})
            return found[model].state_dict()

        expected = train("whole")
        with pytest.raises(KeyboardInterrupt):
            train("interrupted", STOP)
        got = train("interrupted")
    assert all(torch.equal(got[name], weight) for name, weight in expected.items())
