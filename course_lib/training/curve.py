"""The picture of a training under way: losses and validations over the steps."""

import io

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.lines import Vector, drawable, finish, line_look
from course_lib.plots.style import put_legend
from course_lib.training.history import History

POINTS = 200  # more losses than that are drawn as means of several steps


def loss_picture(history: History, better: str) -> bytes:
    """Return a PNG of `history`: validations beside the losses if lower is better, in a plot of their own otherwise.

    The figure is none of pyplot's, so that a notebook does not show it a second time when the cell ends.
    """
    apart = bool(history.validation) and better == "higher"
    figure = Figure(figsize=(9.0 if apart else 6.4, 3.2), layout="constrained", dpi=100)
    axes = figure.subplots(1, 2 if apart else 1, squeeze=False)[0]
    draw_losses(axes[0], history.losses)
    if history.validation:
        draw_validation(axes[-1], history, apart)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def draw_losses(ax: Axes, losses: list[float]) -> None:
    """Draw the losses over the steps 1, 2, …, as means of as many steps as it takes to get along with POINTS points."""
    window = -(-len(losses) // POINTS)
    steps, means = means_of(losses, window)
    name = "loss" if window <= 1 else f"loss (mean of {window} steps)"
    ax.plot(steps, drawable(means, log=False), label=name, **line_look(0))
    finish(ax, "step", name, "Loss during training", logx=False, logy=False)


def means_of(losses: list[float], window: int) -> tuple[Vector, Vector]:
    """Return (the middle, the mean) of every `window` steps in a row; of fewer at the end."""
    starts = np.arange(0, len(losses), max(1, window))
    ends = np.minimum(starts + window, len(losses))
    means = [np.mean(losses[start:end]) for start, end in zip(starts, ends, strict=True)]
    return (starts + 1 + ends) / 2, np.array(means, dtype=np.float64)


def draw_validation(ax: Axes, history: History, apart: bool) -> None:
    """Draw the validations; on the axes of the losses, say which line is which."""
    values = drawable(np.array(history.validation, dtype=np.float64), log=False)
    ax.plot(history.validation_steps, values, label="validation", marker="o", markersize=4, **line_look(1))
    if apart:
        finish(ax, "step", "validation (higher is better)", "Validation during training", logx=False, logy=False)
    else:
        ax.set_ylabel("loss")
        put_legend(ax, ax.lines, [str(line.get_label()) for line in ax.lines])
