"""Set-up for the tests of course_lib: pictures without a screen, and tests that need a GPU."""

from collections.abc import Callable, Iterator

import matplotlib
import pytest
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

matplotlib.use("Agg")

import matplotlib.pyplot as plt


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1729)


@pytest.fixture
def draw() -> Iterator[Callable[[Axes], Figure]]:
    """Really draw the figure of these axes, so that what goes wrong while drawing goes wrong in the test."""

    def drawn(ax: Axes) -> Figure:
        figure = ax.figure
        figure.canvas.draw()
        return figure

    yield drawn
    plt.close("all")
