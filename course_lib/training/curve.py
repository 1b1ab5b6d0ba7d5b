"""The plot of a running training: losses and validations over the steps.

A loss falls by factors: from 8 to 4 in the first steps, from 0.2 to 0.1 in the last hours. If every loss is above 0, as a
cross-entropy is, the axis is logarithmic, and both are visible.
"""

import io

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.lines import Vector, drawable, finish, line_look
from course_lib.plots.style import put_legend
from course_lib.training.history import History

POINTS = 200  # more losses are drawn as means of several steps


def loss_picture(history: History, better: str) -> bytes:
    """Return a PNG of `history`: validations beside the losses if lower is better, in a plot of their own otherwise.

    The figure is unknown to pyplot, so that a notebook does not show it again when the cell ends.
    """
    apart = bool(history.validation) and better == "higher"
    figure = Figure(figsize=(9.0 if apart else 6.4, 3.2), layout="constrained", dpi=100)
    axes = figure.subplots(1, 2 if apart else 1, squeeze=False)[0]
    beside = [] if apart else history.validation
    draw_losses(axes[0], history.losses, log=not any(value <= 0 for value in [*history.losses, *beside]))
    if history.validation:
        draw_validation(axes[-1], history, apart)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def draw_losses(ax: Axes, losses: list[float], log: bool) -> None:
    """Draw the losses over the steps 1, 2, …, as means of so many steps that there are at most POINTS points."""
    window = -(-len(losses) // POINTS)
    steps, means = means_of(losses, window)
    name = "loss" if window <= 1 else f"loss (mean of {window} steps)"
    ax.plot(steps, drawable(means, log), label=name, **line_look(0))
    finish(ax, "step", name, "Loss during training", logx=False, logy=log)


def means_of(losses: list[float], window: int) -> tuple[Vector, Vector]:
    """Return (middle, mean) of every `window` consecutive steps; of fewer at the end."""
    starts = np.arange(0, len(losses), max(1, window))
    ends = np.minimum(starts + window, len(losses))
    means = [np.mean(losses[start:end]) for start, end in zip(starts, ends, strict=True)]
    return (starts + 1 + ends) / 2, np.array(means, dtype=np.float64)


def draw_validation(ax: Axes, history: History, apart: bool) -> None:
    """Draw the validations, with a legend if they share the axes of the losses."""
    values = drawable(np.array(history.validation, dtype=np.float64), log=False)
    ax.plot(history.validation_steps, values, label="validation", marker="o", markersize=4, **line_look(1))
    if apart:
        finish(ax, "step", "validation (higher is better)", "Validation during training", logx=False, logy=False)
    else:
        finish(ax, "step", "loss", "Loss during training", logx=False, logy=ax.get_yscale() == "log")
        put_legend(ax, ax.lines, [str(line.get_label()) for line in ax.lines])
