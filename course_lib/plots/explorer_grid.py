"""The explorer's view of keys that are the cells of a grid over a picture."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from course_lib.plots.arrays import Values, to_array
from course_lib.plots.words import show_words

#: Maximum number of queries in the static picture.
MOST_PANELS = 14


@dataclass(frozen=True)
class Ground:
    """A picture, (1, H, W) of ink or (3, H, W) of colours, under a grid of ``size`` rows and columns."""

    pixels: np.ndarray
    size: tuple[int, int]

    def names(self) -> list[str]:
        """Return the names of the cells, row by row."""
        return [f"row {row}, column {column}" for row in range(self.size[0]) for column in range(self.size[1])]

    def png(self) -> str:
        """Return the picture, pixel by pixel, as a data URL."""
        shown = self.pixels[0] if len(self.pixels) == 1 else np.moveaxis(self.pixels, 0, -1).clip(0, 1)
        data = io.BytesIO()
        plt.imsave(data, shown, format="png", cmap="gray_r", vmin=0, vmax=1)
        return f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"

    def static(self, weights: np.ndarray, rows: Sequence[str], title: str) -> Any:
        """Draw the weights of the first queries of one matrix over the picture."""
        maps = weights[:MOST_PANELS].reshape(-1, *self.size)
        return show_words(self.pixels, rows[:MOST_PANELS], maps, title)


def ground(picture: Values | None, grid: tuple[int, int] | None, keys: int) -> Ground | None:
    """Return the picture under the keys, or None if there is none. Raises ValueError if it does not fit them."""
    if picture is None and grid is None:
        return None
    if picture is None or grid is None or grid[0] * grid[1] != keys:
        raise ValueError(
            f"Expected a picture and a grid of {keys} cells, one for each column of A, got the grid {grid}."
        )
    pixels = to_array(picture, "picture")
    if pixels.ndim != 3 or pixels.shape[0] not in (1, 3):
        raise ValueError(f"Expected picture of shape (1, H, W) or (3, H, W), got {pixels.shape}.")
    return Ground(pixels, grid)
