"""The grid of heat maps and masks, with the keys on top and the queries at the left."""

from matplotlib.axes import Axes

from course_lib.plots.labels import put_labels
from course_lib.plots.style import WIDEST, dress, new_axes

Labels = list[str] | None
Shape = tuple[int, ...]


def cell_size(shape: Shape, across: float, with_numbers: bool = False) -> tuple[float, float]:
    """Return the width and the height of a cell in inches, for a grid that may be `across` inches wide."""
    queries, keys = shape
    width = min(0.55 if with_numbers else 0.42, across / keys)
    height = min(0.38, width if width < 0.1 else max(width, 0.16), 7.0 / queries)  # words need 0.16, dots are square
    return width, height


def cell_of(ax: Axes, shape: Shape) -> tuple[float, float]:
    """Return the width and the height of a cell in inches, on existing axes."""
    box = ax.get_window_extent()
    room = 0.75  # share left by labels and colour bar, once the figure is laid out
    return room * box.width / ax.figure.dpi / shape[1], room * box.height / ax.figure.dpi / shape[0]


def label_room(queries: Labels, keys: Labels) -> tuple[float, float]:
    """Estimate the space in inches that the labels need at the left and on top."""
    left = 0.085 * max((len(label) for label in queries), default=0) if queries is not None else 0.3
    top = 0.065 * max((len(label) for label in keys), default=0) if keys is not None else 0.2
    return left + 0.35, top + 0.35


def grid_axes(shape: Shape, queries: Labels, keys: Labels, cell: tuple[float, float], beside: float) -> Axes:
    """Return new axes for a grid of such cells, with `beside` inches at the right for the legend of the colours."""
    left, top = label_room(queries, keys)
    width = left + cell[0] * shape[1] + beside
    return new_axes(min(WIDEST, max(width, 3.2)), max(top + cell[1] * shape[0] + 0.4, 2.0))


def dress_grid(
    ax: Axes, shape: Shape, queries: Labels, keys: Labels, title: str | None, cell: tuple[float, float]
) -> None:
    """Write the tokens along both axes, the keys on top."""
    dress(ax, "keys", "queries", title)
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    ax.tick_params(which="both", length=0, pad=5)
    put_labels(ax, "x", keys, shape[1], cell[0])
    put_labels(ax, "y", queries, shape[0], cell[1])
    ax.set_xlim(-0.5, shape[1] - 0.5)
    ax.set_ylim(shape[0] - 0.5, -0.5)
