"""Pictures of three digits over each other, and the changes that make more of them."""

import pytest
import torch

from course_lib.data import draw_colour_digits, erase_squares, flip_pictures, handwritten_digits, shift_pictures


def test_each_digit_of_a_part_is_the_red_one_once():
    digits, drawn = handwritten_digits("one_fifth"), draw_colour_digits(None, 3, "one_fifth")
    assert torch.equal(drawn.images[:, 0], digits.images)
    assert torch.equal(drawn.labels, digits.labels)
    of = {picture.numpy().tobytes(): int(label) for picture, label in zip(digits.images, digits.labels, strict=True)}
    seen = [[of[picture.numpy().tobytes()] for picture in pictures] for pictures in drawn.images]
    assert drawn.digits.tolist() == seen
    assert drawn.images.shape == (len(digits.labels), 3, 8, 8)
    known = {picture.numpy().tobytes() for picture in digits.images}
    assert all(picture.numpy().tobytes() in known for picture in drawn.images[:, 1:].flatten(0, 1))


def test_no_digit_is_in_both_parts():
    pixels = [
        {picture.numpy().tobytes() for picture in draw_colour_digits(3000, 0, part).images.flatten(0, 1)}
        for part in ("four_fifths", "one_fifth")
    ]
    assert not pixels[0] & pixels[1]


@pytest.mark.parametrize(("size", "variation"), [(8, 0.0), (12, 0.0), (11, 1.0), (16, 0.5)])
def test_each_digit_lies_in_its_box_and_its_colour(size, variation):
    drawn = draw_colour_digits(50, 1, size=size, variation=variation)
    assert drawn.images.shape == (50, 3, size, size)
    assert drawn.images.min() >= 0
    assert drawn.images.max() <= 1
    for picture, boxes in zip(drawn.images, drawn.boxes, strict=True):
        for channel, (x0, y0, x1, y1) in zip(picture, boxes.tolist(), strict=True):
            assert (x1 - x0, y1 - y0) == (8, 8)
            assert channel[y0:y1, x0:x1].count_nonzero() == channel.count_nonzero() > 0
    if size > 8:
        assert len({tuple(corner) for corner in drawn.boxes[:, 0, :2].tolist()}) > 5


def test_a_digit_that_lies_elsewhere_is_the_same_digit():
    digits = handwritten_digits("four_fifths")
    drawn = draw_colour_digits(20, 2, size=13)
    known = {picture.numpy().tobytes(): int(label) for picture, label in zip(digits.images, digits.labels, strict=True)}
    for picture, boxes, label in zip(drawn.images, drawn.boxes, drawn.labels, strict=True):
        x0, y0, x1, y1 = boxes[0].tolist()
        assert known[picture[0, y0:y1, x0:x1].contiguous().numpy().tobytes()] == label


def test_the_seed_decides():
    one, again, other = (draw_colour_digits(30, seed, size=12, variation=0.7) for seed in (5, 5, 6))
    assert torch.equal(one.images, again.images)
    assert not torch.equal(one.images, other.images)
    assert len(draw_colour_digits(0, 1)) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 7}, "size to be at least 8"),
        ({"count": -1}, "count and variation to be at least 0, got -1"),
        ({"variation": -0.5}, "count and variation"),
        ({"part": "fifth"}, "Expected part to be one of"),
    ],
)
def test_invalid_arguments_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_colour_digits(**{"count": 2, "seed": 0} | arguments)


@pytest.fixture
def pictures():
    return torch.rand(40, 3, 5, 7, generator=torch.Generator().manual_seed(0)) + 0.1


def test_a_shift_moves_each_picture_as_a_whole(pictures):
    moved = shift_pictures(pictures, 2, torch.Generator().manual_seed(1))
    found = set()
    for old, new in zip(pictures, moved, strict=True):
        [(y, x)] = [
            (y, x)
            for y in range(-2, 3)
            for x in range(-2, 3)
            if torch.equal(new, torch.nn.functional.pad(old, (2, 2, 2, 2))[:, 2 + y : 7 + y, 2 + x : 9 + x])
        ]
        found.add((y, x))
    assert len(found) > 10
    assert torch.equal(shift_pictures(pictures, 0, torch.Generator()), pictures)


def test_half_of_the_pictures_are_mirrored(pictures):
    new = flip_pictures(pictures, torch.Generator().manual_seed(1))
    mirrored = [torch.equal(a, b.flip(-1)) for a, b in zip(new, pictures, strict=True)]
    same = [torch.equal(a, b) for a, b in zip(new, pictures, strict=True)]
    assert all(a != b for a, b in zip(mirrored, same, strict=True))
    assert 10 < sum(mirrored) < 30


def test_a_square_is_erased_in_all_colours(pictures):
    new = erase_squares(pictures, 3, torch.Generator().manual_seed(1))
    for a, b in zip(new, pictures, strict=True):
        gone = (a == 0).all(dim=0)
        assert torch.equal(a[:, ~gone], b[:, ~gone])
        rows, columns = gone.nonzero().unbind(1)
        height, width = (int(places.max() - places.min()) + 1 for places in (rows, columns))
        assert len(rows) == height * width
        assert 2 <= height <= 3
        assert 2 <= width <= 3
    assert torch.equal(erase_squares(pictures, 0, torch.Generator()), pictures)


@pytest.mark.parametrize("change", [shift_pictures, erase_squares])
def test_a_negative_size_is_refused(pictures, change):
    with pytest.raises(ValueError, match="to be at least 0 pixels, got -1"):
        change(pictures, -1, torch.Generator())
