"""A student's own `train` takes the steps of `fit`, and everything that `fit` adds is as without it."""

import json
import math
import sys
import traceback

import pytest
import torch
from small_training import draw_batch, loss, make_loader, make_model, same, state_of

from autograder.lessons.translation.references import train  # as a student writes it
from course_lib.training import fit, own_train


def fitted(model, batches=draw_batch, **options):
    return fit(model, loss, batches, device="cpu", show=False, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"batches": draw_batch, "steps": 9, "warmup": 3, "clip": 0.3},
        {"batches": draw_batch, "steps": 6, "clip": None, "decay": "linear", "dtype": torch.bfloat16},
        {"batches": make_loader(shuffle=True), "epochs": 2, "validate": make_loader(), "validate_every": 2},
        {
            "batches": draw_batch,
            "steps": 30,
            "learning_rate": 1.0,
            "validate": make_loader(),
            "validate_every": 1,
            "patience": 2,
        },
    ],
)
def test_the_weights_and_the_history_are_those_of_fits_own_loop(options):
    ours, theirs = make_model(dropout=0.2), make_model(dropout=0.2)
    by_fit, by_train = fitted(ours, **options), fitted(theirs, train=train, **options)
    assert same(state_of(ours), state_of(theirs))
    assert by_train.losses == by_fit.losses
    assert (by_train.validation, by_train.validation_steps) == (by_fit.validation, by_fit.validation_steps)
    assert by_train.stopped_early == by_fit.stopped_early
    assert not theirs.training


def test_a_training_that_was_interrupted_goes_on_to_the_same_weights(tmp_path):
    whole, parts, calls = make_model(dropout=0.2), make_model(dropout=0.2), []
    fitted(whole, steps=8, warmup=2)

    def stopped(model, batch):
        calls.append(batch)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return loss(model, batch)

    options = {
        "steps": 8,
        "warmup": 2,
        "checkpoint": tmp_path / "m.safetensors",
        "train": train,
        "device": "cpu",
        "show": False,
    }
    with pytest.raises(KeyboardInterrupt):
        fit(parts, stopped, draw_batch, save_every=0.0, **options)
    again = make_model(dropout=0.2)
    history = fit(again, loss, draw_batch, resume=True, **options)
    assert same(state_of(whole), state_of(again))
    assert len(history.losses) == 8
    # No step is left, so train is not called.
    finished = fit(make_model(dropout=0.2), loss, draw_batch, resume=True, **options)
    assert finished.losses == history.losses


def test_an_optimizer_is_used_as_it_was_brought():
    ours, theirs = make_model(), make_model()
    for model, loop in ((ours, None), (theirs, train)):
        fitted(model, steps=5, optimizer=torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), train=loop)
    assert same(state_of(ours), state_of(theirs))


def test_one_rate_cannot_be_several():
    model = make_model()
    groups = [{"params": model[0].parameters(), "lr": 0.4}, {"params": model[3].parameters()}]
    with pytest.raises(ValueError, match="one learning rate for all parameters"):
        fitted(model, steps=5, optimizer=torch.optim.SGD(groups, lr=0.1), train=train)


def test_a_loop_that_ends_early_or_takes_no_loss_is_refused():
    def early(model, loss_of, batches, make_optimizer, rate_of, clip):
        for batch in batches:
            loss_of(model, batch)
            if rate_of(1):
                break

    def lossless(model, loss_of, batches, make_optimizer, rate_of, clip):
        return [0.0 for _ in batches]

    with pytest.raises(ValueError, match="for every batch, 4, but it ended after 0"):
        fitted(make_model(), steps=4, train=early)
    with pytest.raises(ValueError, match="none in step 1"):
        fitted(make_model(), steps=4, train=lossless)


def notebook(path, *cells):
    sources = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["def train(): no"]}, *sources]}))
    return path


WRITTEN = """
def train(model, loss_of, batches, make_optimizer, rate_of, clip=CLIP):
    optimizer = make_optimizer(model.parameters())
    return [one_step(model, optimizer, loss_of, batch, rate_of(1)) for batch in batches]
"""
HELPER = """
%matplotlib inline
CLIP = 1.0
def one_step(model, optimizer, loss_of, batch, rate):
    optimizer.zero_grad()
    loss_of(model, batch).backward()
    optimizer.step()
    return m.inf
"""


def test_a_notebooks_function_comes_with_what_it_uses_and_nothing_else_is_run(tmp_path, capsys):
    cells = [
        "import math as m\nimport no_such_module",
        "import math as m",
        "raise SystemExit",
        HELPER,
        "broken(",
        WRITTEN,
        "train = train",
    ]
    found = own_train(notebook(tmp_path / "translation.ipynb", *cells))
    assert "your own train" in capsys.readouterr().out
    model = make_model()
    before = state_of(model)
    fitted(model, steps=3, train=found)
    assert not same(before, state_of(model))
    assert found(model, loss, [], lambda parameters: None, None) == []
    assert found.__defaults__ == (1.0,)
    assert math.isfinite(loss(model, draw_batch(torch.Generator())).item())


def test_an_error_shows_the_students_line(tmp_path):
    found = own_train(
        notebook(tmp_path / "translation.ipynb", "def train(model, *rest, clip):\n    return model.nothing")
    )
    with pytest.raises(AttributeError) as raised:
        fitted(make_model(), steps=3, train=found)
    assert "return model.nothing" in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "cell",
    [
        'def train(model):\n    """Say."""\n    # YOUR CODE HERE\n    raise NotImplementedError()',
        "def other(): pass",
        "def train(x=nowhere): pass",
        "train = 3",
        "class train: pass",
    ],
)
def test_where_nothing_is_written_fit_takes_its_own_loop(tmp_path, capsys, cell):
    assert own_train(notebook(tmp_path / "translation.ipynb", cell)) is None
    assert "loop of fit" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content", [None, "", "[]", "{}", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', '{"cells": [3]}']
)
def test_a_notebook_that_cannot_be_read_stops_nothing(tmp_path, content):
    path = tmp_path / "translation.ipynb"
    if content is not None:
        path.write_text(content)
    assert own_train(path) is None


def test_a_gpu_without_bfloat16_trains_by_train_in_single_precision(monkeypatch):
    """As the T4 that Colab lends: there `fit`'s own loop uses float16 and scales the gradients, which no `train` does."""
    for module in ("fit", "precision"):
        monkeypatch.setattr(sys.modules[f"course_lib.training.{module}"], "default_dtype", lambda _: torch.float16)
    model, dtypes = make_model(), set()
    model.register_forward_hook(lambda _, __, value: dtypes.add(value.dtype))
    assert len(fitted(model, steps=3, train=train).losses) == 3
    assert dtypes == {torch.float32}
    with pytest.raises(ValueError, match="float16"):
        fitted(make_model(), steps=3, train=train, dtype=torch.float16)
