import io
import itertools
import math
import sys
from types import SimpleNamespace

import IPython
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from nbclient import NotebookClient
from small_training import draw_batch, loss, make_model, make_rows

from course_lib.training import History, curve, fit, screen
from course_lib.training.history import duration

PNG = b"\x89PNG\r\n\x1a\n"


class Terminal(io.StringIO):
    """A terminal that keeps what was written."""

    def isatty(self):
        return True


def train(steps=7, **options):
    return fit(make_model(), loss, draw_batch, steps=steps, device="cpu", **options)


@pytest.fixture
def clock(monkeypatch):
    """Every question for the time takes 1/16 of a second."""
    ticks = itertools.count()
    monkeypatch.setattr(screen.time, "perf_counter", lambda: next(ticks) / 16)


def test_prints_one_line_outside_a_terminal(capsys):
    history = train()
    out, err = capsys.readouterr()
    assert out.startswith(f"step 7 of 7 · loss {history.losses[-1]:.4g} · ")
    assert out.count("\n") == 1
    assert "\r" not in out
    assert err == ""  # nbgrader gives no points to a cell that writes there


def test_a_terminal_gets_one_line_that_is_written_over(monkeypatch, clock):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    train(steps=300)
    out = terminal.getvalue()
    assert out.count("\n") == 1
    assert out.endswith("\n")
    lines = out.strip("\r\n").split("\r")
    assert lines[0].startswith("step 1 of 300 · loss")
    assert lines[0].rstrip().endswith("left")
    assert lines[-1].startswith("step 300 of 300 · loss")
    assert 5 < len(lines) < 100  # 300 steps take far more than 19 seconds of this clock, and fewer than 300 lines


def test_show_false_is_silent(capsys):
    train(show=False)
    assert capsys.readouterr() == ("", "")


def test_progress_line_shows_validation_and_early_stop(capsys):
    values = iter([3.0, 4.0])
    train(steps=9, validate=lambda model: next(values), validate_every=2, patience=1)
    out = capsys.readouterr().out
    assert "step 4 of 9" in out
    assert "validation 4 (best 3 after step 2)" in out
    assert "stopped early" in out
    assert "left" not in out


def test_the_end_is_shown_when_training_ends_by_an_error(capsys):
    factors = iter([1.0, math.nan, 1.0])
    with pytest.raises(FloatingPointError):
        fit(make_model(), lambda m, b: loss(m, b) * next(factors), draw_batch, steps=3, device="cpu")
    assert capsys.readouterr().out.startswith("step 3 of 3")


@pytest.mark.parametrize(
    ("shell", "live"),
    [
        (None, False),
        (SimpleNamespace(), False),
        (SimpleNamespace(kernel=SimpleNamespace(session=None)), False),  # the autograder's sandbox
        (SimpleNamespace(kernel=SimpleNamespace(session="zmq")), True),
    ],
)
def test_a_live_notebook_is_a_kernel_with_a_client(monkeypatch, shell, live):
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    assert screen.in_live_notebook() is live


CELL = """
import torch
from course_lib.training import fit, screen
screen.EVERY, screen.SHARE = 0.0, 1e9  # as often as possible
torch.manual_seed(0)
model = torch.nn.Linear(5, 1)
history = fit(model, lambda model, X: model(X).square().mean(), lambda g: torch.randn(3, 5, generator=g), steps=6,
              device="cpu", validate=[torch.ones(2, 5)], validate_every=2)
history
"""


@pytest.mark.slow
def test_a_notebook_keeps_one_bar_and_one_picture(root, monkeypatch):
    monkeypatch.delenv("IPYTHONDIR", raising=False)  # where kernels of nbval learn to train briefly
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(root)}}).execute()
    bar, picture, result = notebook.cells[0].outputs
    assert [bar.output_type, picture.output_type, result.output_type] == ["display_data"] * 2 + ["execute_result"]
    assert bar.data["text/plain"].startswith("step 6 of 6 · loss")
    assert '<progress value="6" max="6"' in bar.data["text/html"]
    assert "step 6 of 6" in bar.data["text/html"]
    assert 'src="data:image/png;base64,iVBORw0KGgo' in picture.data["text/html"]
    assert 'alt="The loss during training: step 6 of 6' in picture.data["text/html"]
    assert result.data["text/plain"].startswith("6 steps in ")


@pytest.mark.parametrize(("count", "window", "points"), [(1, 1, 1), (200, 1, 200), (201, 2, 101), (100_003, 501, 200)])
def test_many_losses_are_drawn_as_means(draw, count, window, points):
    losses = [float(step) for step in range(1, count + 1)]
    ax = Figure().subplots()
    curve.draw_losses(ax, losses, log=True)
    draw(ax)
    line = ax.lines[0]
    assert len(line.get_xdata()) == points
    assert np.array_equal(line.get_xdata(), line.get_ydata())  # the mean of steps is their middle
    assert line.get_xdata()[0] == (1 + window) / 2
    assert ax.get_xlabel() == "step"
    assert ax.get_ylabel() == ("loss" if window == 1 else f"loss (mean of {window} steps)")
    assert ax.get_title(loc="left")


def test_a_loss_that_is_no_number_is_a_gap(draw):
    ax = Figure().subplots()
    curve.draw_losses(ax, [1.0, math.nan, 3.0, math.inf], log=True)
    draw(ax)
    assert np.isnan(ax.lines[0].get_ydata()).tolist() == [False, True, False, True]


@pytest.mark.parametrize(("better", "axes"), [("lower", 1), ("higher", 2)])
def test_validation_shares_the_losses_axes_where_it_is_a_loss(monkeypatch, better, axes):
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **options: figures.append(self))
    history = History(losses=[3.0, 2.0, 1.0], validation=[0.5, 0.25], validation_steps=[1, 3], best=0.25, best_step=3)
    curve.loss_picture(history, better)
    assert len(figures[0].axes) == axes
    line = figures[0].axes[-1].lines[-1]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([1, 3], [0.5, 0.25])
    texts = [text.get_text() for legend in [figures[0].axes[0].get_legend()] if legend for text in legend.get_texts()]
    assert texts == (["loss", "validation"] if better == "lower" else [])


@pytest.mark.parametrize(
    ("losses", "validation", "better", "scale"),
    [
        ([8.0, 0.1], [0.5], "lower", "log"),
        ([8.0, math.nan], [0.5], "lower", "log"),  # what is no number is a gap, not a reason
        ([8.0, 0.0], [], "lower", "linear"),
        ([8.0, 0.1], [-0.5], "lower", "linear"),
        ([8.0, 0.1], [0.0], "higher", "log"),  # in a plot of their own
    ],
)
def test_the_axis_is_logarithmic_unless_a_loss_is_not_above_0(monkeypatch, losses, validation, better, scale):
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **options: figures.append(self))
    history = History(losses=losses, validation=validation, validation_steps=[1] * len(validation))
    curve.loss_picture(history, better)
    assert figures[0].axes[0].get_yscale() == scale


@pytest.mark.parametrize(
    ("losses", "ticks"), [([1.0, 1.4], {"1.1", "1.2", "1.3"}), ([0.1, 1.0, 8.0], {"0.2", "0.5", "1", "2"})]
)
def test_a_logarithmic_axis_has_numbers_that_can_be_read(draw, losses, ticks):
    ax = Figure().subplots()
    curve.draw_losses(ax, losses, log=True)
    draw(ax)
    assert ticks <= {label.get_text() for label in ax.get_yticklabels()}


def test_the_picture_is_a_png_that_pyplot_knows_nothing_of():
    before = plt.get_fignums()
    assert curve.loss_picture(History(losses=[3.0, 2.0]), "lower").startswith(PNG)
    assert plt.get_fignums() == before


def test_a_history_says_in_a_line_what_came_out():
    history = train(show=False, validate=[make_rows()])
    assert repr(history) == (
        f"7 steps in {duration(history.seconds)}; loss {history.losses[0]:.4g} at first, {history.losses[-1]:.4g} at last; "
        f"best validation {history.best:.4g} after step {history.best_step}"
    )
    assert repr(History()) == "0 steps in 0.0 s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.6, "1 min 0 s"),
        (200.0, "3 min 20 s"),
        (7500.0, "2 h 5 min"),
    ],
)
def test_durations_read_well(seconds, text):
    assert duration(seconds) == text
