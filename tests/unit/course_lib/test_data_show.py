"""plots.show_scenes: captions, boxes and names where they belong."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from course_lib import plots
from course_lib.data import draw_scenes


@pytest.fixture(scope="module")
def scenes():
    return draw_scenes(7, seed=1729)


def boxes_on(ax) -> list[tuple[float, ...]]:
    corners = [(*shape.get_xy(), shape.get_width(), shape.get_height()) for shape in ax.patches]
    assert all(isinstance(shape, Rectangle) for shape in ax.patches)
    return sorted((x, y, x + width, y + height) for x, y, width, height in corners)


def test_captions_boxes_and_names_are_drawn(draw, scenes):
    axes = plots.show_scenes(scenes.images, scenes.captions, scenes.boxes, scenes.named, title="Seven scenes")
    figure = draw(axes[0])
    assert len(axes) == 7
    assert figure.get_suptitle() == "Seven scenes"
    for index, ax in enumerate(axes):
        assert ax.get_xlabel().split() == scenes.captions[index]
        there = scenes.labels[index] >= 0
        assert boxes_on(ax) == sorted(map(tuple, scenes.boxes[index][there].tolist()))
        written = sorted(text.get_text() for text in ax.texts)
        nouns = [scenes.captions[index][word] for word, _ in scenes.named[index].nonzero().tolist()]
        assert written == sorted(nouns)


def test_a_box_lies_around_its_ink_and_not_half_a_pixel_beside_it(draw):
    images = torch.zeros(1, 1, 11, 13)
    images[0, 0, 2:5, 3:10] = 1.0
    [ax] = plots.show_scenes(images, [["a", "bar"]], boxes=torch.tensor([[[3, 2, 10, 5]]]))
    figure = draw(ax)
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].mean(axis=-1)
    height = pixels.shape[0]
    for x, y, dark in ((6.5, 3.5, True), (2.4, 3.5, False), (10.6, 3.5, False), (6.5, 1.4, False), (6.5, 5.6, False)):
        column, row = ax.transData.transform((x, y))
        assert (pixels[height - 1 - round(row), round(column)] < 100) == dark, (x, y)


def test_names_stay_in_the_picture_and_off_the_digits(draw):
    many = draw_scenes(11, seed=1)
    axes = plots.show_scenes(many.images, many.captions, many.boxes, many.named)
    draw(axes[0])
    for index, ax in enumerate(axes):
        for text in ax.texts:
            room = text.get_window_extent().transformed(ax.transData.inverted())
            assert room.x0 > -1
            assert room.x1 < 42
            for x0, y0, x1, y1 in many.boxes[index].tolist():
                top, bottom = sorted((room.y0, room.y1))  # y grows downwards
                across, down = min(room.x1, x1) - max(room.x0, x0), min(bottom, y1) - max(top, y0)
                assert min(across, down) < 1.5, (text.get_text(), index)


def test_figures_are_legible_on_dark_and_light_pages(draw, scenes):
    axes = plots.show_scenes(scenes.images, scenes.captions)
    figure = draw(axes[0])
    for ax in axes:
        assert to_hex(figure.get_facecolor()) == "#ffffff"
        assert to_hex(ax.xaxis.label.get_color()) == "#222222"


def test_boxes_differ_in_more_than_colour(draw, scenes):
    for ax in plots.show_scenes(scenes.images, scenes.captions, scenes.boxes):
        looks = [(shape.get_edgecolor(), shape.get_linestyle()) for shape in ax.patches]
        assert len({look[0] for look in looks}) == len({look[1] for look in looks}) == len(looks) > 0


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_any_number_of_pictures_is_drawn(draw, count):
    axes = plots.show_scenes(torch.rand(count, 3, 17, 29), [["some", "words"]] * count)
    assert len(draw(axes[0]).axes) == count


def test_formulas_and_long_captions_do_no_harm(draw):
    caption = ["$x^{", "a_b", *["word"] * 50]
    [ax] = plots.show_scenes(torch.rand(1, 1, 5, 7), [caption])
    draw(ax)
    assert ax.get_xlabel().split() == caption


def test_reports_mistakes(scenes):
    images, captions = scenes.images, scenes.captions
    for mistake, message in (
        (lambda: plots.show_scenes(images[0], captions), r"got \(1, 40, 40\).*images\[None\]"),
        (lambda: plots.show_scenes(images, captions[:3]), "Expected 7 captions, one for each picture, got 3"),
        (lambda: plots.show_scenes(images, ["a five"] * 7), "as a list of words, got a string"),
        (
            lambda: plots.show_scenes(images, captions, scenes.boxes[:5]),
            r"boxes of shape \(7, any, 4\), got \(5, 3, 4\)",
        ),
        (lambda: plots.show_scenes(images, captions, named=scenes.named), "one column for each of the boxes"),
        (lambda: plots.show_scenes(images, captions, scenes.boxes[:, :2], scenes.named), "for each of the boxes"),
    ):
        with pytest.raises(ValueError, match=message):
            mistake()
