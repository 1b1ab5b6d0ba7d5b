"""The parts of a heat map: colours, numbers, frames and the colour bar."""

import math
from typing import Any

import matplotlib.axes
import matplotlib.image
import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.patches import Rectangle

from course_lib.plots.arrays import to_array
from course_lib.plots.style import FAINT, HEAT, MARK, PAPER, dress

Matrix = Float[np.ndarray, "N_Q N_K"]
Limits = tuple[float, float]


def limits_of(weights: Float[np.ndarray, "..."]) -> Limits:
    """Return the values at the ends of the colour map: 0 or the smallest, and the largest finite value."""
    finite = weights[np.isfinite(weights)]
    low = min(0.0, float(finite.min(initial=0.0)))
    high = float(finite.max(initial=low))
    return low, high if high > low else low + 1.0


def draw_heat(ax: matplotlib.axes.Axes, weights: Matrix, limits: Limits) -> matplotlib.image.AxesImage:
    """Colour the cells of `ax`; entries that are not finite become grey."""
    colours = plt.get_cmap(HEAT).with_extremes(bad=FAINT)
    shown = np.ma.masked_invalid(weights)
    image = ax.imshow(shown, cmap=colours, vmin=limits[0], vmax=limits[1], aspect="auto", interpolation="nearest")
    if max(weights.shape) <= 20:  # thin lines between the cells
        ax.hlines(np.arange(1, weights.shape[0]) - 0.5, -0.5, weights.shape[1] - 0.5, color=PAPER, linewidth=0.8)
        ax.vlines(np.arange(1, weights.shape[1]) - 0.5, -0.5, weights.shape[0] - 0.5, color=PAPER, linewidth=0.8)
    return image


def write_numbers(ax: matplotlib.axes.Axes, image: matplotlib.image.AxesImage, weights: Matrix) -> None:
    """Write each weight into its cell, black on light colours and white on dark ones."""
    colours = image.to_rgba(np.ma.masked_invalid(weights))
    for (row, column), weight in np.ndenumerate(weights):
        ink = ink_on(colours[row, column])
        ax.text(column, row, _number(weight), ha="center", va="center", fontsize=8.5, color=ink)


def _number(weight: float) -> str:
    if weight == 0.0:
        return "0"
    if not math.isfinite(weight):
        return "nan" if math.isnan(weight) else "\u221e" if weight > 0 else "\u2212\u221e"
    return (f"{weight:.2f}" if abs(weight) < 100 else f"{weight:.3g}").replace("-", "\u2212")


def ink_on(rgba: Float[np.ndarray, "4"]) -> str:
    """Return black or white, whichever has more contrast on this colour (relative luminance as in WCAG 2)."""
    linear = np.where(rgba[:3] <= 0.04045, rgba[:3] / 12.92, ((rgba[:3] + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ np.array([0.2126, 0.7152, 0.0722]))
    return PAPER if luminance < 0.179 else "#000000"


def frame_cells(ax: matplotlib.axes.Axes, highlight: Any, shape: tuple[int, int]) -> None:
    """Frame the cells named by `highlight`: (query, key) pairs, or a bool matrix of this shape."""
    for row, column in _cells(highlight, shape):
        if not (0 <= row < shape[0] and 0 <= column < shape[1]):
            raise ValueError(f"Expected highlighted (query, key) pairs within shape {shape}, got {(row, column)}.")
        for colour, width in ((PAPER, 4.0), (MARK, 2.2)):  # the white edge keeps the frame visible on every colour
            corner = (column - 0.46, row - 0.46)
            ax.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=colour, linewidth=width))


def _cells(highlight: Any, shape: tuple[int, int]) -> list[tuple[int, int]]:
    if highlight is None:
        return []
    if not hasattr(highlight, "dtype"):  # pairs may come from zip, a set or a generator
        highlight = [list(pair) for pair in highlight]
    if len(highlight) == 0:
        return []
    marks = to_array(highlight, "highlight")
    is_mask = "bool" in str(highlight.dtype if hasattr(highlight, "dtype") else type(highlight[0][0]))
    if is_mask and marks.shape == shape:
        return [(int(row), int(column)) for row, column in np.argwhere(marks)]
    if is_mask or marks.ndim != 2 or marks.shape[1] != 2:
        raise ValueError(
            f"Expected highlight to be (query, key) pairs or a bool matrix of shape {shape}, got {marks.shape}."
        )
    return [(int(row), int(column)) for row, column in marks]


def add_colour_bar(image: matplotlib.image.AxesImage, axes: list[matplotlib.axes.Axes], label: str) -> None:
    """Add one colour bar for all of `axes`."""
    bar = axes[0].figure.colorbar(image, ax=axes if len(axes) > 1 else axes[0], fraction=0.08, pad=0.03, aspect=22)
    dress(bar.ax, "", label, None)
    bar.ax.tick_params(labelsize=8.5)
    bar.outline.set_visible(False)
