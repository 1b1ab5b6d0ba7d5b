"""Pictures with their captions, and boxes around the objects that the captions name."""

import math
import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from course_lib.plots.arrays import Values, to_array
from course_lib.plots.style import COLOURS, INK, PAPER, WIDEST, dress

PER_ROW = 4
SIDE = 2.0  # inches
LETTERS = 30  # per line of a caption
Captions = Sequence[Sequence[str]]
Box = Float[np.ndarray, "4"]
Pixels = Float[np.ndarray, "B C H W"]


def show_scenes(
    images: Values,
    captions: Captions,
    boxes: Values | None = None,
    named: Values | None = None,
    title: str | None = None,
) -> tuple[Axes, ...]:
    """Draw pictures, four in a row, each with its caption below. Returns one Axes for each picture.

    images: (B, 1, H, W), drawn as dark ink on white paper, or (B, 3, H, W) in colour; values from 0 to 1.
    captions: the words of each picture's caption.
    boxes: (B, O, 4), the x0, y0, x1, y1 of O boxes in pixels; a box without a width is not drawn. named: (B, T, O), True
    where word t of the caption names what is in box o; then the word is written at the box.
    Raises ValueError if the shapes do not fit.
    """
    pixels = _checked_pictures(images)
    _check_captions(captions, len(pixels))
    frames = None if boxes is None else _checked(boxes, "boxes", (len(pixels), None, 4))
    names = None if named is None else _checked(named, "named", (len(pixels), None, None))
    if names is not None and (frames is None or names.shape[2] != frames.shape[1]):
        raise ValueError(f"Expected named to have one column for each of the boxes, got named of shape {names.shape}.")
    axes = _panels(len(pixels), pixels.shape[2:], max(len(_lines(caption)) for caption in captions), title)
    for index, ax in enumerate(axes):
        _draw_picture(ax, pixels[index], captions[index])
        if frames is not None:
            _draw_boxes(ax, frames[index], captions[index], None if names is None else names[index])
    return axes


def _checked_pictures(images: Values) -> Pixels:
    pixels = to_array(images, "images")
    if pixels.ndim != 4 or pixels.shape[1] not in (1, 3) or pixels.size == 0:
        raise ValueError(
            f"Expected images of shape (B, 1, H, W) or (B, 3, H, W), got {pixels.shape}. Make a batch of one picture "
            "with images[None]."
        )
    return pixels


def _check_captions(captions: Captions, count: int) -> None:
    if isinstance(captions, str) or any(isinstance(caption, str) for caption in captions):
        raise ValueError("Expected each caption as a list of words, got a string. Try caption.split().")
    if len(captions) != count:
        raise ValueError(f"Expected {count} captions, one for each picture, got {len(captions)}.")


def _checked(values: Values, name: str, shape: tuple[int | None, ...]) -> Float[np.ndarray, "B M N"]:
    array = to_array(values, name)
    wanted = ", ".join("any" if size is None else str(size) for size in shape)
    if array.ndim != 3 or any(size not in (None, got) for size, got in zip(shape, array.shape, strict=True)):
        raise ValueError(f"Expected {name} of shape ({wanted}), got {array.shape}.")
    return array


def _lines(caption: Sequence[str]) -> list[str]:
    return textwrap.wrap(" ".join(caption), LETTERS) or [""]


def _panels(count: int, shape: tuple[int, ...], lines: int, title: str | None) -> tuple[Axes, ...]:
    across, down = min(count, PER_ROW), math.ceil(count / PER_ROW)
    tall = min(2.0, max(0.5, shape[0] / shape[1])) * SIDE
    size = (min(WIDEST, max(3.2, across * (SIDE + 0.2) + 0.3)), down * (tall + 0.35 + 0.17 * lines) + 0.4)
    figure, grid = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    figure.suptitle(title or "Pictures and their captions", color=INK, fontsize=11, x=0.01, ha="left")
    for ax in grid.flat[count:]:
        ax.remove()
    return tuple(grid.flat[:count])


def _draw_picture(ax: Axes, pixels: Float[np.ndarray, "C H W"], caption: Sequence[str]) -> None:
    _, height, width = pixels.shape
    around = (0, width, height, 0)  # so that pixel 0 reaches from 0 to 1, as boxes count
    if len(pixels) == 1:
        ax.imshow(pixels[0], cmap="gray_r", vmin=0, vmax=1, extent=around, interpolation="nearest")
    else:
        ax.imshow(pixels.transpose(1, 2, 0).clip(0, 1), extent=around, interpolation="nearest")
    dress(ax, "\n".join(_lines(caption)), "", None)
    ax.xaxis.label.set_parse_math(False)
    ax.set_xticks([0, width // 2, width])
    ax.set_yticks([0, height // 2, height])
    ax.tick_params(labelsize=7, length=2, pad=1.5)


def _draw_boxes(
    ax: Axes, boxes: Float[np.ndarray, "O 4"], caption: Sequence[str], named: Float[np.ndarray, "T O"] | None
) -> None:
    there = [index for index, (x0, y0, x1, y1) in enumerate(boxes) if x1 > x0 and y1 > y0]
    taken = [boxes[index] for index in there]
    for index in there:
        _draw_box(ax, boxes[index], index)
        words = [] if named is None else [word for word, here in zip(caption, named[:, index], strict=False) if here]
        if words:
            taken.append(_write_name(ax, " ".join(words), boxes[index], index, taken))


def _draw_box(ax: Axes, box: Box, index: int) -> None:
    x0, y0, x1, y1 = box
    colour, dash = COLOURS[index % len(COLOURS)], ("-", "--", ":")[index % 3]
    corner, width, height = (x0, y0), x1 - x0, y1 - y0
    ax.add_patch(Rectangle(corner, width, height, fill=False, edgecolor=colour, linestyle=dash, linewidth=1.5))


def _write_name(ax: Axes, words: str, box: Box, index: int, taken: list[Box]) -> Box:
    """Write the words above, below or beside their box, where there is room; return the space occupied."""
    width, height = ax.get_xlim()[1], ax.get_ylim()[0]
    tall, wide = 0.07 * height, 0.036 * width * len(words)
    x0, y0, x1, y1 = box
    left = min(x0, width - wide)
    corners = ((left, y0 - tall - 0.4), (left, y1 + 0.4), (x1 + 0.4, y0), (x0 - wide - 0.4, y0))
    rooms = [np.array([x, y, x + wide, y + tall]) for x, y in corners]
    free = [room for room in rooms if _inside(room, width, height) and not any(_overlap(room, it) for it in taken)]
    room = (free or rooms)[0]
    colour = COLOURS[index % len(COLOURS)]
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.3, "alpha": 0.7}
    text = ax.text(room[0], room[3], words, va="bottom", fontsize=8, color=colour, bbox=paper)
    text.set_parse_math(False)
    return room


def _inside(room: Box, width: float, height: float) -> bool:
    return bool(room.min() >= 0 and room[2] <= width and room[3] <= height)


def _overlap(room: Box, other: Box) -> bool:
    return bool((room[:2] < other[2:]).all() and (other[:2] < room[2:]).all())
