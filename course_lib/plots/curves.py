"""Plots of curves."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.arrays import Values, to_vector
from course_lib.plots.lines import Vector, check_any, drawable, finish, line_look, mark_places, marker_look
from course_lib.plots.style import new_axes, put_legend

Bands = Mapping[str, tuple[Values, Values]]


def show_curves(
    x: Values,
    curves: Mapping[str, Values],
    xlabel: str,
    ylabel: str,
    title: str,
    logx: bool = False,
    logy: bool = False,
    bands: Bands | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw each of `curves` (name to values) over `x`; lines differ in colour, marker and dash.

    `bands` (name to (lower, upper)) shades the range around a curve. `logx` and `logy` make an axis logarithmic; values
    that are not above 0 leave a gap there. Raises ValueError if a curve is not as long as `x` or a band has no curve.
    """
    places = to_vector(x, "x")
    check_any(curves, "curves")
    _check_bands(bands or {}, curves)
    ax = ax if ax is not None else new_axes(7.2, 3.8)
    across, ends = drawable(places, logx), []
    for index, (name, values) in enumerate(curves.items()):
        y = _as_long_as(values, places, name, logy)
        (handle,) = ax.plot(across, y, label=name, **line_look(index), **marker_look(index, len(y)))
        ends.append((_last(y), handle, name))
        if bands and name in bands:
            low, high = (_as_long_as(side, places, f"band of {name}", logy) for side in bands[name])
            ax.fill_between(across, low, high, color=handle.get_color(), alpha=0.18, linewidth=0)
    finish(ax, xlabel, ylabel, title, logx, logy)
    mark_places(ax, places, logx)
    ends.sort(key=lambda end: -end[0])  # the legend lists the curves in the order in which they end, from top to bottom
    put_legend(ax, [handle for _, handle, _ in ends], [name for _, _, name in ends])
    return ax


def _check_bands(bands: Bands, curves: Mapping[str, Values]) -> None:
    unknown = sorted(set(bands) - set(curves))
    if unknown:
        raise ValueError(f"Expected bands of the curves {list(curves)}, got bands of {unknown}.")


def _as_long_as(values: Values, places: Vector, name: str, log: bool) -> Vector:
    y = to_vector(values, f"the curve {name!r}")
    if len(y) != len(places):
        raise ValueError(f"Expected the curve {name!r} to have {len(places)} values, one for each x, got {len(y)}.")
    return drawable(y, log)


def _last(values: Vector) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if finite.size else -np.inf
