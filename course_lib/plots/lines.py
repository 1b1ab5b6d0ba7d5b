"""Shared parts of line plots: line styles, gaps, and readable axes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.ticker import AutoLocator, FixedLocator, LogLocator, NullLocator

from course_lib.plots.style import COLOURS, DASHES, MARKERS, dress, dress_plot

Vector = Float[np.ndarray, " N"]


def line_look(index: int) -> dict[str, Any]:
    """Return the colour and the dash of the line with this index."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.6}


def marker_look(index: int, count: int) -> dict[str, Any]:
    """Return the marker of the line with this index, on at most about 16 of its `count` points."""
    return {"marker": MARKERS[index % len(MARKERS)], "markersize": 5, "markevery": max(1, count // 16)}


def check_any(curves: Mapping[str, Any], name: str) -> None:
    """Raise ValueError if there is nothing to draw."""
    if not curves:
        raise ValueError(f'Expected {name} to hold at least one curve, as in {{"mine": values}}, got none.')


def drawable(values: Vector, log: bool) -> Vector:
    """Return `values` with a gap (NaN) where they cannot be drawn: infinite, or not above 0 on a logarithmic axis."""
    fine = np.isfinite(values) & ((values > 0) | (not log))
    return np.where(fine, values, np.nan)


def finish(ax: Axes, xlabel: str, ylabel: str, title: str, logx: bool, logy: bool) -> None:
    """Set the scales, and label and dress the axes."""
    if logx and np.isfinite(ax.dataLim.minposx):  # without a single value to draw, a logarithmic axis has no range
        ax.set_xscale("log")
    if logy and np.isfinite(ax.dataLim.minposy):
        ax.set_yscale("log")
        _mark_few_decades(ax)
    dress(ax, xlabel, ylabel, title)
    dress_plot(ax)


def _mark_few_decades(ax: Axes) -> None:
    """Label a short logarithmic axis with 0.2, 0.5, 1 (or 1.2, 1.4, 1.6) instead of a single power of ten."""
    low, high = ax.get_ylim()
    if high / low >= 300:
        return
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)) if high / low >= 8 else AutoLocator())
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


def mark_places(ax: Axes, places: Vector, logx: bool) -> None:
    """Label a logarithmic axis with few values by these (64, 128, 256) instead of powers of ten."""
    positive = np.unique(places[places > 0])
    if not logx or not 2 <= len(positive) <= 14:
        return
    if np.diff(np.log(positive)).min() < np.log(positive[-1] / positive[0]) / 16:  # too close to be written
        return
    ax.xaxis.set_major_locator(FixedLocator(list(positive)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
