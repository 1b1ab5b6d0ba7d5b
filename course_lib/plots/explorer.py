"""An interactive view of attention weights: choose a head or a step and a query, and compare with expected weights."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from course_lib.live import in_live_notebook
from course_lib.plots.alternative import alternative_text, image_of
from course_lib.plots.arrays import Values, to_array
from course_lib.plots.attention import show_attention, show_heads
from course_lib.plots.explorer_grid import Ground, ground
from course_lib.plots.labels import LONGEST, check_labels
from course_lib.plots.style import INK

#: Maximum count of numbers sent to the browser.
MOST_NUMBERS = 2_000_000


def explore_attention(
    A: Values,
    queries: Sequence[Any] | None = None,
    keys: Sequence[Any] | None = None,
    axes: Mapping[str, Sequence[Any]] | None = None,
    expected: Values | None = None,
    title: str = "Attention weights",
    picture: Values | None = None,
    grid: tuple[int, int] | None = None,
) -> Any:
    """Show weights A (…, N_Q, N_K) interactively, with a slider for each leading axis and a selectable row for each query.

    `axes` names the leading axes and their entries, such as {"head": ["0", "1"]} for A (2, N_Q, N_K); without it they are
    numbered. `queries` and `keys` are the tokens. `expected`, of A's shape, marks the cells that differ by more than 0.001.
    With `grid` (rows, columns) the keys are cells over a `picture`, (1, H, W) of ink or (3, H, W) of colours, with names
    such as "row 0, column 0"; a query with the name of a cell can be chosen there. Where no widget can be shown (a saved
    notebook, a page, a plain program), this is a static picture of the first entries. Raises ValueError if A has fewer than two
    dimensions, is empty or too large, or if something else does not fit it.
    """
    weights = to_array(A, "A").astype(np.float32)
    if weights.ndim < 2 or weights.size == 0 or weights.size > MOST_NUMBERS:
        raise ValueError(
            f"Expected A of shape (…, N_Q, N_K) with 1 to {MOST_NUMBERS:,} numbers, got {weights.shape}. Pick a part of it."
        )
    named = _axes(weights.shape[:-2], axes)
    under = ground(picture, grid, weights.shape[-1])
    rows = check_labels(queries, weights.shape[-2], "queries", "row of A") or list(map(str, range(weights.shape[-2])))
    columns = check_labels(keys, weights.shape[-1], "keys", "column of A")
    columns = columns or (under.names() if under else list(map(str, range(weights.shape[-1]))))
    right = _expected(expected, weights.shape)
    if not in_live_notebook():
        return _static(weights, rows, columns, named, title, under)
    return _widget()(
        _picture(_static(weights, rows, columns, named, title, under), title),
        weights=weights.tobytes(),
        expected=right,
        shape=list(weights.shape),
        query_names=rows,
        key_names=columns,
        axes=[{"name": name, "labels": labels} for name, labels in named.items()],
        title=title,
        grid=list(under.size) if under else [],
        picture=under.png() if under else "",
        coloured=under is not None and len(under.pixels) == 3,
    )


def _expected(expected: Values | None, shape: tuple[int, ...]) -> bytes:
    if expected is None:
        return b""
    right = to_array(expected, "expected").astype(np.float32)
    if right.shape != shape:
        raise ValueError(f"Expected weights to compare with of A's shape {shape}, got {right.shape}.")
    return right.tobytes()


def _axes(shape: tuple[int, ...], axes: Mapping[str, Sequence[Any]] | None) -> dict[str, list[str]]:
    given = dict(axes) if axes is not None else {f"axis {number}": range(size) for number, size in enumerate(shape)}
    if [len(labels) for labels in given.values()] != list(shape):
        wanted = {name: len(labels) for name, labels in given.items()}
        raise ValueError(f"Expected names for leading axes of the sizes {list(shape)}, got {wanted}.")
    return {name: [str(label) for label in labels] for name, labels in given.items()}


def _static(
    weights: np.ndarray,
    rows: list[str],
    columns: list[str],
    named: dict[str, list[str]],
    title: str,
    under: Ground | None,
) -> Any:
    """Draw the first matrix or, along the last leading axis, all matrices side by side."""
    first = weights.reshape(-1, *weights.shape[-2:])[0]
    if under is not None:
        return under.static(first, rows, title)
    heads = weights.reshape(-1, *weights.shape[-3:])[0] if weights.ndim > 2 else None
    if heads is None or len(heads) > 8:
        return show_attention(first, rows, columns, title)
    name, labels = list(named.items())[-1]
    titles = [f"{name} {label}" for label in labels]
    if max(map(len, titles)) <= LONGEST:
        return show_heads(heads, rows, columns, titles)
    drawn = show_heads(heads, rows, columns, labels)  # cut to LONGEST, all titles might be the same
    drawn[0].figure.suptitle(f"{title}, {name}", fontsize=11, color=INK)
    return drawn


def _picture(drawn: Any, title: str) -> dict[str, str]:
    """Return the static picture as an output for notebooks that are read without a kernel."""
    import io

    figure = (drawn[0] if isinstance(drawn, tuple) else drawn).figure
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=72)
    plt.close(figure)
    return image_of(data.getvalue(), f"{title}. {alternative_text(figure)}", follows=False)


@cache
def _widget() -> type:
    """Return the widget's class. It is made when it is first needed: loading ipywidgets takes a moment."""
    import anywidget
    import traitlets

    class AttentionExplorer(anywidget.AnyWidget):
        """The browser's data: numbers as bytes of float32, and all names. (ipywidgets has a trait `keys`.)"""

        _esm = Path(__file__).with_name("explorer.js").read_text(encoding="utf8")
        weights = traitlets.Bytes().tag(sync=True)
        expected = traitlets.Bytes().tag(sync=True)
        shape: Any = traitlets.List().tag(sync=True)
        query_names: Any = traitlets.List().tag(sync=True)
        key_names: Any = traitlets.List().tag(sync=True)
        axes: Any = traitlets.List().tag(sync=True)
        title = traitlets.Unicode().tag(sync=True)
        grid: Any = traitlets.List().tag(sync=True)
        picture = traitlets.Unicode().tag(sync=True)
        coloured = traitlets.Bool().tag(sync=True)

        def __init__(self, static: dict[str, str], **values: Any):
            super().__init__(**values)
            self.static = static

        def _repr_mimebundle_(self, **options: Any) -> Any:
            made = super()._repr_mimebundle_(**options)
            if made is None:
                return self.static
            bundle, metadata = made if isinstance(made, tuple) else (made, {})
            return {**bundle, **self.static}, metadata

    return AttentionExplorer
