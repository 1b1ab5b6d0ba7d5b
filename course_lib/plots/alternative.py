"""Alternative texts for figures, and figures that follow a notebook's dark theme.

In an open notebook a figure becomes an HTML image with an alternative text, made from its titles, its axes and its content. In a
dark theme plots of lines and bars are inverted, with their hues kept. Heat maps and pictures do not change, since light and dark
have a meaning there.
"""

import base64
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.live import in_live_notebook

LONGEST = 1000  # characters: a screen reader reads an alternative text in one go
MOST_LINES = 8

#: CSS selectors of dark themes: JupyterLab and Notebook 7, VS Code, Colab.
_DARK = ('body[data-jp-theme-light="false"]', "body.vscode-dark", "html[theme=dark]")
_STYLE = ",".join(f"{place} img.course-plot" for place in _DARK) + "{filter:invert(0.93) hue-rotate(180deg)}"


def alternative_text(figure: Figure) -> str:
    """Describe a figure in words: the title and axes of each plot, and the beginning and end of each line."""
    parts = [figure.get_suptitle()] if figure.get_suptitle() else []
    plots = [ax for ax in figure.axes if ax.get_visible() and not _is_colour_bar(ax)]
    parts += [". ".join(_plot(ax)) for ax in plots]
    text = ". ".join(part for part in parts if part) or "A figure without words"
    return text if len(text) <= LONGEST else text[: LONGEST - 2].rstrip() + " …"


def _is_colour_bar(ax: Axes) -> bool:
    return ax.get_label() == "<colorbar>"


def _plot(ax: Axes) -> Iterator[str]:
    title = ax.get_title() or ax.get_title(loc="left") or ax.get_title(loc="right")
    if not ax.axison:  # a diagram says what it shows
        yield from filter(None, (title, str(ax.get_label())))
        return
    across, up = ax.get_xlabel(), ax.get_ylabel()
    kind = "Heat map or picture" if _has_picture(ax) else "Bars" if ax.patches and not ax.lines else "Plot"
    axes = f"{kind} of {up} over {across}" if up and across else f"{kind}, {up or across}" if up or across else kind
    yield f"{title}: {axes}" if title else axes
    for image in ax.images[:1]:
        yield _heat(ax, np.asarray(image.get_array()))
    named = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) > 1]
    for line in named[:MOST_LINES]:
        if line_text := _line(line.get_label(), _numbers(line.get_xdata()), _numbers(line.get_ydata())):
            yield line_text
    if len(named) > MOST_LINES:
        yield f"{len(named) - MOST_LINES} more lines"
    heights = [bar.get_height() for bar in ax.patches if hasattr(bar, "get_height")]
    if heights and not ax.lines:
        names = [label.get_text() for label in ax.get_xticklabels()]
        shown = zip(names, heights, strict=True) if len(names) == len(heights) else (("", height) for height in heights)
        yield ", ".join(f"{name} {height:.3g}".strip() for name, height in list(shown)[: 2 * MOST_LINES])


def _heat(ax: Axes, values: np.ndarray) -> str:
    rows, columns = values.shape[:2]
    size = f"{rows} rows by {columns} columns"
    if values.ndim != 2 or not np.isfinite(values.astype(float)).any():
        return size
    row, column = np.unravel_index(np.nanargmax(values.astype(float)), values.shape)
    names = [[label.get_text() for label in labels] for labels in (ax.get_yticklabels(), ax.get_xticklabels())]
    places = [
        repr(texts[int(at)]) if len(texts) == count and texts[int(at)] else str(at)
        for texts, count, at in zip(names, (rows, columns), (row, column), strict=True)
    ]
    return f"{size}, largest {values[row, column]:.3g} in row {places[0]}, column {places[1]}"


def _numbers(values: Any) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):  # dates, or names
        return np.arange(len(values), dtype=float) * np.nan


def _line(label: Any, x: np.ndarray, y: np.ndarray) -> str:
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not good.size:
        return ""
    name = "A line" if str(label).startswith("_") else str(label)
    first, last = good[0], good[-1]
    return f"{name} from {y[first]:.3g} at {x[first]:.3g} to {y[last]:.3g} at {x[last]:.3g}"


def _has_picture(ax: Axes) -> bool:
    return bool(ax.images) or any(type(drawn).__name__ == "QuadMesh" for drawn in ax.collections)


def image_of(data: bytes, text: str, follows: bool) -> dict[str, str]:
    """Return an output with a PNG and its alternative text; ``follows`` says whether it follows a dark theme."""
    picture = base64.b64encode(data).decode()
    style = f"<style>{_STYLE}</style>" if follows else ""
    kind = ' class="course-plot"' if follows else ""
    html = f'{style}<img{kind} alt="{escape(text)}" src="data:image/png;base64,{picture}" style="max-width:100%;height:auto">'
    return {"text/html": html, "text/plain": text}


def _show(figure: Figure) -> None:
    """Show a figure in a notebook with its alternative text. Raises NotImplementedError where it is not shown as a PNG."""
    from IPython import get_ipython
    from IPython.display import display

    drawn = get_ipython().display_formatter.formatters["image/png"](figure)
    drawn = drawn[0] if isinstance(drawn, tuple) else drawn
    if drawn is None:  # the student has chosen another format
        raise NotImplementedError
    data = base64.b64decode(drawn) if isinstance(drawn, str) else drawn
    follows = not any(_has_picture(ax) for ax in figure.axes)
    display(image_of(data, alternative_text(figure), follows), raw=True)


def show_figures_with_text() -> None:
    """From now on, show figures with their alternative texts, if this is an open notebook."""
    if in_live_notebook():
        from IPython import get_ipython

        get_ipython().display_formatter.ipython_display_formatter.for_type(Figure, _show)
