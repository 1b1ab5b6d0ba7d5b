"""Tokens as labels: validated, readable, and never parsed as a formula."""

from collections.abc import Sequence
from typing import Any, Literal

import matplotlib.axes

from course_lib.plots.style import INK

LONGEST = 18
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # cells from one label to the next
INVISIBLE = str.maketrans({" ": "\u2423", "\n": "\u21b5", "\t": "\u21e5"})


def check_labels(labels: Sequence[Any] | None, count: int, name: str, axis: str) -> list[str] | None:
    """Return `labels` as readable text, or raise ValueError if there are not `count` of them."""
    if labels is None:
        return None
    if isinstance(labels, str):
        raise ValueError(f"Expected {name} to be a list of {count} words, got one string. Try {name}={name}.split().")
    if len(labels) != count:
        raise ValueError(
            f"Expected {count} {name}, one for each {axis}, got {len(labels)}. If they would fit the other axis, "
            "the matrix may be transposed: rows are queries, columns are keys."
        )
    return [readable(str(label)) for label in labels]


def readable(token: str) -> str:
    """Return `token` with its white space made visible at the ends, and shortened if it is very long."""
    if not token:
        return "''"
    core = token.strip()
    start = token.index(core) if core else len(token)
    shown = (
        token[:start].translate(INVISIBLE)
        + core.replace("\n", "\u21b5")
        + token[start + len(core) :].translate(INVISIBLE)
    )
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "\u2026"


def put_labels(
    ax: matplotlib.axes.Axes, which: Literal["x", "y"], labels: list[str] | None, count: int, inches: float
) -> None:
    """Write `labels` (or the positions, if None) along an axis of `count` cells, each `inches` wide."""
    size = 10.0 if inches >= 0.16 else 7.5
    width = max((len(label) for label in labels), default=1) if labels is not None else len(str(count - 1))
    upright = which == "y" or width * size * 0.0093 <= inches
    needed = size / 72 * 1.05 if labels is not None or upright else 0.3
    if labels is None:
        needed = max(needed, 0.3)
    step = next(step for step in STEPS if step * inches >= needed or step == STEPS[-1])
    places = range(0, count, step)
    axis = ax.xaxis if which == "x" else ax.yaxis
    texts = [str(place) if labels is None else labels[place] for place in places]
    axis.set_ticks(list(places), labels=texts, parse_math=False, fontsize=size, color=INK)
    if which == "x" and not upright and labels is not None:
        turn_labels(ax, steep=inches < 0.3)


def turn_labels(ax: matplotlib.axes.Axes, steep: bool) -> None:
    """Rotate the labels of the x axis, on top or at the bottom, so that they do not overlap."""
    on_top = ax.xaxis.get_ticks_position() == "top"
    for label in ax.get_xticklabels():
        label.set_rotation(90 if steep else (45 if on_top else 35))
        label.set_rotation_mode("anchor")
        label.set_horizontalalignment("left" if on_top else "right")
        label.set_verticalalignment("center" if steep else "baseline" if on_top else "top")
