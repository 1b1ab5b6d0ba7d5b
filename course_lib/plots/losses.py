"""Losses over the steps of training."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from course_lib.plots.arrays import Values, to_vector
from course_lib.plots.lines import Vector, check_any, drawable, finish, line_look
from course_lib.plots.style import new_axes, put_legend


def show_losses(
    losses: Mapping[str, Values] | Values,
    smooth: int | None = None,
    title: str | None = None,
    logy: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw one loss, or several as name to losses, over the steps 0, 1, 2, ...

    `smooth` draws the mean of the last `smooth` steps as well, over the raw losses, which are then faint. `logy` makes
    the loss axis logarithmic. Raises ValueError if a loss is no sequence of numbers or `smooth` is below 1.
    """
    if smooth is not None and smooth < 1:
        raise ValueError(f"Expected smooth to be a number of steps, at least 1, got {smooth}.")
    named = losses if isinstance(losses, Mapping) else {"": losses}
    check_any(named, "losses")
    ax = ax if ax is not None else new_axes(6.4, 3.4)
    handles = []
    for index, (name, values) in enumerate(named.items()):
        raw = drawable(to_vector(values, f"the loss {name!r}" if name else "losses"), logy)
        look = line_look(index)
        if smooth is not None:
            ax.plot(raw, color=look["color"], alpha=0.3, linewidth=0.8)
        handles += ax.plot(raw if smooth is None else running_mean(raw, smooth), **look)
    finish(ax, "step", "loss", title or "Loss during training", logx=False, logy=logy)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    meaning = "" if smooth is None else f"mean of {smooth} steps"
    if "" not in named:
        put_legend(ax, handles, list(named), title=meaning)
    elif meaning:
        put_legend(ax, handles, [meaning])
    return ax


def running_mean(values: Vector, window: int) -> Vector:
    """Return at each step the mean of the last `window` values up to it (fewer at the start)."""
    return np.array([values[max(0, step + 1 - window) : step + 1].mean() for step in range(len(values))])
