"""The common style of all plots: dark ink on a white background, legible in dark themes as well."""

from collections.abc import Sequence
from typing import Any

import matplotlib.axes
import matplotlib.pyplot as plt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

INK = "#222222"
FAINT = "#bbbbbb"
PAPER = "#ffffff"
HEAT = "cividis"  # made to look the same to colour-blind eyes, and its lightness rises evenly
MARK = "#d55e00"  # Okabe and Ito's vermilion: stands out on every part of cividis

# Okabe and Ito's colours, without the yellow that is hard to see on white. Lines differ in marker and dash as well.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (7, 2)), (0, (2, 1)))

WIDEST = 9.0  # inches: maximum width that a notebook shows without scaling


def new_axes(width: float, height: float) -> matplotlib.axes.Axes:
    """Return the axes of a new figure of this size, in inches, with a constrained layout."""
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def dress(ax: matplotlib.axes.Axes, xlabel: str, ylabel: str, title: str | None) -> None:
    """Label `ax`, and set every colour on the artists themselves: no rcParams are read or changed."""
    ax.figure.set_facecolor(PAPER)
    figure = ax.figure.figure  # of a subfigure, the whole figure
    if isinstance(figure, Figure) and figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")  # in a caller's plain plt.subplots, labels would run into the neighbour
    ax.set_facecolor(PAPER)
    ax.set_xlabel(xlabel, color=INK, fontsize=10)
    ax.set_ylabel(ylabel, color=INK, fontsize=10)
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="left")
    ax.tick_params(which="both", color=INK, labelcolor=INK)
    for spine in ax.spines.values():
        spine.set_color(FAINT)


def dress_plot(ax: matplotlib.axes.Axes) -> None:
    """Give a plot of lines or bars its faint grid and take away the frame it does not need."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, axis="y", color=FAINT, alpha=0.5, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=9)


def put_legend(
    ax: matplotlib.axes.Axes,
    handles: Sequence[Artist],
    labels: Sequence[str],
    title: str = "",
    handlelength: float = 3.2,
) -> None:
    """Put the legend to the right of the plot, where it covers nothing."""
    beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    legend = ax.legend(handles, labels, **beside, frameon=False, fontsize=9, handlelength=handlelength)
    legend.set_title(title, prop=FontProperties(size=9))
    for text in [legend.get_title(), *legend.get_texts()]:
        text.set_color(INK)
        text.set_parse_math(False)
