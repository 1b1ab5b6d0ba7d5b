"""Attention weights as heat maps."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import matplotlib.axes
import matplotlib.pyplot as plt

from course_lib.plots.arrays import Values, to_array, to_matrix
from course_lib.plots.grid import cell_of, cell_size, dress_grid, grid_axes, label_room
from course_lib.plots.heat import add_colour_bar, draw_heat, frame_cells, limits_of, write_numbers
from course_lib.plots.labels import check_labels
from course_lib.plots.style import WIDEST

PER_ROW = 4


def show_attention(
    A: Values,
    queries: Sequence[Any] | None = None,
    keys: Sequence[Any] | None = None,
    title: str | None = None,
    ax: matplotlib.axes.Axes | None = None,
    values: bool | Literal["auto"] = "auto",
    highlight: Values | Iterable[tuple[int, int]] | None = None,
    label: str = "attention weight",
    largest: float | None = None,
) -> matplotlib.axes.Axes:
    """Draw the weights A (N_Q, N_K) as a heat map: one row for each query, one column for each key.

    `queries` and `keys`: the tokens, one for each row and column; by default the positions, from 0.
    `values` writes the numbers into the cells ("auto": if there is room); a weight of exactly 0 is written "0".
    `highlight` frames cells: (query, key) pairs, or a bool matrix of the shape of A. `label` names the colour bar.
    Colours run from 0 (or the smallest value, if negative) to `largest`, by default the largest finite value; entries that
    are not finite are grey. Give pictures that are compared the same `largest`.
    Raises ValueError if A is no matrix or the number of tokens does not fit.
    """
    weights = to_matrix(
        A, "A", advice="Pick one matrix, as in A[0], or draw all heads of (H, N_Q, N_K) with show_heads."
    )
    rows = check_labels(queries, weights.shape[0], "queries", "row of A")
    columns = check_labels(keys, weights.shape[1], "keys", "column of A")
    written = weights.shape[1] <= 12 and weights.size <= 144 if values == "auto" else bool(values)
    cell = cell_size(weights.shape, across=6.6, with_numbers=written)
    if ax is None:
        ax = grid_axes(weights.shape, rows, columns, cell, beside=1.0)
    else:
        cell = cell_of(ax, weights.shape)
        written = written and (values is True or cell[0] > 0.3)
    low, high = limits_of(weights)
    image = draw_heat(ax, weights, (low, high if largest is None else largest))
    dress_grid(ax, weights.shape, rows, columns, title or "Attention: what each query looks at", cell)
    if written:
        write_numbers(ax, image, weights)
    frame_cells(ax, highlight, weights.shape)
    add_colour_bar(image, [ax], label)
    return ax


def show_heads(
    A: Values,
    queries: Sequence[Any] | None = None,
    keys: Sequence[Any] | None = None,
    titles: Sequence[str] | None = None,
) -> tuple[matplotlib.axes.Axes, ...]:
    """Draw the weights A (H, N_Q, N_K) of H heads side by side, four in a row, with one colour bar for all.

    `titles` are the heads' names, by default "head 0" and so on. Returns one Axes for each head.
    Raises ValueError if A has another shape or the number of tokens or titles does not fit.
    """
    weights = to_array(A, "A")
    if weights.ndim != 3 or weights.size == 0:
        raise ValueError(
            f"Expected A of shape (H, N_Q, N_K), got {weights.shape}. Pick one item of a batch with A[0]; "
            "draw a single matrix with show_attention."
        )
    heads, num_queries, num_keys = weights.shape
    names = check_labels(titles, heads, "titles", "head") or [f"head {head}" for head in range(heads)]
    rows = check_labels(queries, num_queries, "queries", "row of A")
    columns = check_labels(keys, num_keys, "keys", "column of A")
    axes, cell = _panels(heads, (num_queries, num_keys), rows, columns)
    for head, ax in enumerate(axes):
        image = draw_heat(ax, weights[head], limits_of(weights))
        dress_grid(ax, (num_queries, num_keys), rows, columns, names[head], cell)
        _keep_outer_labels(ax, head)
    add_colour_bar(image, list(axes), "attention weight")
    return axes


def _panels(
    heads: int, shape: tuple[int, int], rows: list[str] | None, columns: list[str] | None
) -> tuple[tuple[matplotlib.axes.Axes, ...], tuple[float, float]]:
    across = min(heads, PER_ROW)
    down = math.ceil(heads / PER_ROW)
    left, top = label_room(rows, columns)
    cell = cell_size(shape, across=min(2.4 if across > 2 else 3.6, (WIDEST - left - 1.0) / across - 0.1))
    width = left + across * max(cell[0] * shape[1] + 0.15, 0.8) + 0.9
    height = top + down * (max(cell[1] * shape[0], 0.5) + 0.3) + 0.2
    size = (max(width, 3.2), max(height, 2.0))
    _, grid = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for ax in grid.flat[heads:]:
        ax.remove()
    return tuple(grid.flat[:heads]), cell


def _keep_outer_labels(ax: matplotlib.axes.Axes, head: int) -> None:
    """Write the keys over the first row and the queries beside the first column only: all heads share them."""
    if head >= PER_ROW:
        ax.set_xlabel("")
        ax.tick_params(labeltop=False)
    if head % PER_ROW:
        ax.set_ylabel("")
        ax.tick_params(labelleft=False)
