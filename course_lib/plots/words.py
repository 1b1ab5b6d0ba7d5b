"""The attention weights of a caption over its picture, word by word, side by side or as an animation."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.image import AxesImage

from course_lib.plots.arrays import Values, to_array
from course_lib.plots.style import COLOURS, INK, PAPER, WIDEST, dress

if TYPE_CHECKING:
    from IPython.display import HTML

PER_ROW = 7
SIDE = 1.2  # inches
MILLISECONDS = 800  # for each word
VEIL = 0.9  # opacity of the grey over cells without weight


def show_words(image: Values, words: Sequence[str], weights: Values, title: str | None = None) -> tuple[Axes, ...]:
    """Draw the picture once for each word, tinted where the word's weights lie. Returns one Axes for each word.

    image: (1, H, W), ink from 0 to 1, or (3, H, W), colours from 0 to 1, where a grey veil lies on what has little weight.
    weights: (T, height, width) for T words, on a grid over the picture; each word's largest weight is drawn at full strength.
    Raises ValueError if the shapes do not fit.
    """
    pixels, maps = _checked(image, words, weights)
    across, down = min(len(words), PER_ROW), math.ceil(len(words) / PER_ROW)
    size = (min(WIDEST, max(3.0, across * (SIDE + 0.05) + 0.2)), down * (SIDE + 0.3) + 0.35)
    figure, grid = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    figure.suptitle(title or "Where each word looks", color=INK, fontsize=11, x=0.01, ha="left")
    for ax in grid.flat[len(words) :]:
        ax.remove()
    axes = tuple(grid.flat[: len(words)])
    for ax, word, weight in zip(axes, words, maps, strict=True):
        _draw(ax, pixels, weight, word)
    return axes


def animate_words(image: Values, words: Sequence[str], weights: Values) -> "HTML":
    """Return the same as an animation for a notebook: one word after the other, with the caption growing below.

    Arguments as for show_words. The result plays in the browser alone.
    """
    from IPython.display import HTML
    from matplotlib.animation import FuncAnimation

    pixels, maps = _checked(image, words, weights)
    figure, ax = plt.subplots(figsize=(4.2, 4.0), layout="constrained")
    tint = _draw(ax, pixels, maps[0], "")
    ax.xaxis.label.set_fontsize(11)

    def show(step: int) -> list[AxesImage]:
        tint.set_alpha(_strength(maps[step], pixels))
        ax.set_xlabel(" ".join(words[: step + 1]), color=INK, wrap=True)
        return [tint]

    animation = FuncAnimation(figure, show, frames=len(words), interval=MILLISECONDS)
    page = animation.to_jshtml(default_mode="loop")
    plt.close(figure)
    return HTML(page)


def _checked(
    image: Values, words: Sequence[str], weights: Values
) -> tuple[Float[np.ndarray, "C H W"], Float[np.ndarray, "T height width"]]:
    pixels, maps = to_array(image, "image"), to_array(weights, "weights")
    if pixels.ndim != 3 or pixels.shape[0] not in (1, 3):
        raise ValueError(
            f"Expected image of shape (1, H, W) or (3, H, W), got {pixels.shape}. Pick one picture, as in images[0]."
        )
    if isinstance(words, str) or not len(words):
        raise ValueError("Expected words as a list with at least one word. Try caption.split().")
    if maps.ndim != 3 or len(maps) != len(words):
        raise ValueError(f"Expected weights of shape ({len(words)}, height, width), got {maps.shape}.")
    return pixels, maps


def _strength(
    weight: Float[np.ndarray, "height width"], pixels: Float[np.ndarray, "C H W"]
) -> Float[np.ndarray, "height width"]:
    """Return the opacity of each cell's colour: of the tint, or of the veil over a coloured picture."""
    part = weight / max(float(weight.max()), 1e-12)
    return 0.75 * part if len(pixels) == 1 else VEIL * (1 - part)


def _draw(
    ax: Axes, pixels: Float[np.ndarray, "C H W"], weight: Float[np.ndarray, "height width"], word: str
) -> AxesImage:
    _, height, width = pixels.shape
    around = (0, width, height, 0)
    shown = pixels[0] if len(pixels) == 1 else np.moveaxis(pixels, 0, -1).clip(0, 1)
    ax.imshow(shown, cmap="gray_r", vmin=0, vmax=1, extent=around, interpolation="nearest")
    colour = np.broadcast_to(np.array(to_rgb(COLOURS[1] if len(pixels) == 1 else "#808080")), (*weight.shape, 3))
    tint = ax.imshow(colour, alpha=_strength(weight, pixels), extent=around, interpolation="nearest")
    dress(ax, word, "", None)
    ax.xaxis.label.set_parse_math(False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_facecolor(PAPER)
    return tint
