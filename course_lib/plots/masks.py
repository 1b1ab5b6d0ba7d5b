"""Attention masks as pictures."""

from collections.abc import Sequence
from typing import Any

import matplotlib.axes
import numpy as np
from jaxtyping import Bool
from matplotlib.patches import Patch

from course_lib.plots.arrays import Values, to_matrix
from course_lib.plots.grid import cell_of, cell_size, dress_grid, grid_axes
from course_lib.plots.labels import check_labels
from course_lib.plots.style import PAPER, put_legend

MAY_ATTEND: dict[str, Any] = {"facecolor": "#56b4e9", "edgecolor": PAPER, "linewidth": 0.0}
HIDDEN: dict[str, Any] = {"facecolor": "#d9d9d9", "edgecolor": "#555555", "linewidth": 0.0, "hatch": "////"}


def show_mask(
    allowed: Values,
    queries: Sequence[Any] | None = None,
    keys: Sequence[Any] | None = None,
    title: str | None = None,
    ax: matplotlib.axes.Axes | None = None,
) -> matplotlib.axes.Axes:
    """Draw the mask `allowed` (N_Q, N_K): blue where the query may attend to the key (True), hatched where not.

    `queries` and `keys` are the tokens; without them the positions are written, from 0.
    Raises ValueError if `allowed` is no matrix of True and False (or 1 and 0) or the number of tokens does not fit.
    """
    mask = _to_mask(allowed)
    rows = check_labels(queries, mask.shape[0], "queries", "row of allowed")
    columns = check_labels(keys, mask.shape[1], "keys", "column of allowed")
    cell = cell_size(mask.shape, across=6.2)
    if ax is None:
        ax = grid_axes(mask.shape, rows, columns, cell, beside=1.5)
    else:
        cell = cell_of(ax, mask.shape)
    for row, entries in enumerate(mask):
        for wanted, look in ((True, MAY_ATTEND), (False, HIDDEN)):
            ax.broken_barh(_runs(entries == wanted), (row - 0.5, 1.0), **look)
    _draw_lines(ax, mask.shape)
    dress_grid(ax, mask.shape, rows, columns, title or "Mask: which keys each query may attend to", cell)
    put_legend(ax, [Patch(**MAY_ATTEND), Patch(**HIDDEN)], ["may attend", "hidden"], handlelength=1.6)
    return ax


def _to_mask(allowed: Values) -> Bool[np.ndarray, "N_Q N_K"]:
    matrix = to_matrix(allowed, "allowed", advice="Pick one matrix, as in allowed[0, 0].")
    if not np.isin(matrix, (0.0, 1.0)).all():
        raise ValueError(
            "Expected allowed to hold True (may attend) and False (hidden) only, got other numbers. "
            "A mask of 0 and -inf, to be added to the similarities, becomes this one by mask == 0."
        )
    return np.equal(matrix, 1.0)


def _runs(entries: Bool[np.ndarray, " N_K"]) -> list[tuple[float, float]]:
    """Return (start, length) of every stretch of True, so that a long row needs few shapes."""
    edges = np.flatnonzero(np.diff(entries.astype(int), prepend=0, append=0))
    return [(float(start) - 0.5, float(stop - start)) for start, stop in edges.reshape(-1, 2)]


def _draw_lines(ax: matplotlib.axes.Axes, shape: tuple[int, ...]) -> None:
    if max(shape) <= 24:
        ax.hlines(np.arange(1, shape[0]) - 0.5, -0.5, shape[1] - 0.5, color=PAPER, linewidth=1.0)
        ax.vlines(np.arange(1, shape[1]) - 0.5, -0.5, shape[0] - 0.5, color=PAPER, linewidth=1.0)
