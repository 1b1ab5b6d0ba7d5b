"""A few values as bars, such as the attention of one query over the words."""

from collections.abc import Sequence
from typing import Any

import matplotlib.axes

from course_lib.plots.arrays import Values, to_vector
from course_lib.plots.labels import check_labels, put_labels
from course_lib.plots.style import COLOURS, INK, WIDEST, dress, dress_plot, new_axes


def show_bars(
    labels: Sequence[Any],
    values: Values,
    ylabel: str = "attention weight",
    title: str | None = None,
    xlabel: str = "keys",
    ax: matplotlib.axes.Axes | None = None,
) -> matplotlib.axes.Axes:
    """Draw `values`, one bar for each of `labels`, with the numbers on the bars where there is room.

    Raises ValueError if there are not as many labels as values.
    """
    heights = to_vector(values, "values")
    texts = check_labels(labels, len(heights), "labels", "bar")
    inches = min(0.8, (WIDEST - 1.5) / len(heights))
    if ax is None:
        longest = max(len(text) for text in texts or [""])
        turned = longest * 0.093 > inches  # then the labels need room below the bars
        ax = new_axes(max(3.2, inches * len(heights) + 1.0), 2.9 + (0.06 * longest if turned else 0.0))
    bars = ax.bar(range(len(heights)), heights, width=0.72, color=COLOURS[0])
    dress(ax, xlabel, ylabel, title or "One query: how its attention is spread")
    dress_plot(ax)
    put_labels(ax, "x", texts, len(heights), inches)
    ax.margins(x=0.6 / len(heights), y=0.15)
    ax.axhline(0.0, color=INK, linewidth=0.8)
    if inches >= 0.38:
        ax.bar_label(
            bars, [f"{height:.2f}".replace("-", "\u2212") for height in heights], padding=2, fontsize=8.5, color=INK
        )
    return ax
