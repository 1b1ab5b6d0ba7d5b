"""Scenes: what the caption says is what the picture shows, recomputed from the boxes, the labels and the file."""

import math
from collections import Counter
from dataclasses import fields
from itertools import pairwise, product

import pytest
import torch
from sklearn.datasets import load_digits

from course_lib.data import Scenes, draw_scenes, handwritten_digits
from course_lib.data.digits import PARTS

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
SEED, COUNT = 1729, 3001


@pytest.fixture(scope="module", params=PARTS)
def scenes(request) -> Scenes:
    return draw_scenes(COUNT, SEED, request.param)


@pytest.fixture(scope="module")
def plain() -> Scenes:
    return draw_scenes(1009, SEED, clutter=0, noise=0.0)


def digits_of(scenes: Scenes, index: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return (label, box) of each digit in a scene."""
    pairs = zip(scenes.labels[index].tolist(), scenes.boxes[index].tolist(), strict=True)
    return [(label, tuple(box)) for label, box in pairs if label >= 0]


def size_word(box: tuple[int, ...]) -> str:
    return {8: "small", 12: "", 16: "large"}[box[3] - box[1]]


def relation(first: tuple[int, ...], second: tuple[int, ...]) -> str:
    """Return which relation the angle between the two centres says; the boxes have no part in it."""
    x = (second[0] + second[2] - first[0] - first[2]) / 2
    y = (second[1] + second[3] - first[1] - first[3]) / 2
    quarter = round(math.degrees(math.atan2(y, x)) / 90) % 4
    return ("left of", "above", "right of", "below")[quarter]


def recomputed(digits: list[tuple[int, tuple[int, ...]]]) -> str:
    """Return the caption that the grammar asks for, from labels and boxes in any order."""
    order = ["small", "", "large"]
    kinds = sorted({(label, order.index(size_word(box))) for label, box in digits})
    members = [[box for label, box in digits if (label, order.index(size_word(box))) == kind] for kind in kinds]
    parts = []
    for (label, size), boxes in zip(kinds, members, strict=True):
        noun = NAMES[label] + ("" if len(boxes) == 1 else "es" if label == 6 else "s")
        article = {1: "a", 2: "two", 3: "three"}[len(boxes)]
        phrase = f"{article} {order[size]} {noun}".replace("  ", " ")
        parts.append(phrase.replace("a eight", "an eight"))
    text = parts[0]
    for index, (these, those) in enumerate(pairwise(members)):
        [said] = {relation(first, second) for first, second in product(these, those)}
        text += f" {said} {parts[index + 1]}"
    return text


def test_the_caption_follows_from_boxes_and_labels(scenes):
    for index, caption in enumerate(scenes.captions):
        assert " ".join(caption) == recomputed(digits_of(scenes, index)), index


def test_the_order_of_the_digits_does_not_change_what_is_right(scenes):
    for index in range(101):
        assert " ".join(scenes.captions[index]) == recomputed(digits_of(scenes, index)[::-1])


def test_relations_keep_their_margin(scenes):
    """Related digits: 4 pixels further apart along the relation than across, and a gap of 2 along it."""
    seen = 0
    for index in range(COUNT):
        digits = digits_of(scenes, index)
        groups = sorted({(label, box[3] - box[1]) for label, box in digits})
        for (one, first), (other, second) in product(digits, digits):
            place = groups.index((one, first[3] - first[1])), groups.index((other, second[3] - second[1]))
            if place[1] != place[0] + 1:
                continue
            axis = 0 if relation(first, second) in ("left of", "right of") else 1
            apart = [abs(first[a] + first[a + 2] - second[a] - second[a + 2]) / 2 for a in (axis, 1 - axis)]
            assert apart[0] - apart[1] >= 4
            assert max(second[axis] - first[axis + 2], first[axis] - second[axis + 2]) >= 2
            seen += 1
    assert seen > COUNT / 2


def test_digits_lie_inside_and_apart(scenes):
    there = scenes.labels >= 0
    boxes = scenes.boxes[there]
    assert boxes.min() >= 1
    assert boxes.max() <= 39
    for index in range(COUNT):
        found = [box for _, box in digits_of(scenes, index)]
        for i, first in enumerate(found):
            for second in found[:i]:
                gaps = (first[0] - second[2], second[0] - first[2], first[1] - second[3], second[1] - first[3])
                assert max(gaps) >= 2


def test_boxes_fit_the_ink_exactly(plain):
    """Without clutter and noise: all ink is in the boxes, and every side of a box touches ink."""
    for index, image in enumerate(plain.images[:, 0]):
        rest = image.clone()
        for _, (x0, y0, x1, y1) in digits_of(plain, index):
            ink = image[y0:y1, x0:x1] > 0
            assert ink[0].any()
            assert ink[-1].any()
            assert ink[:, 0].any()
            assert ink[:, -1].any()
            rest[y0:y1, x0:x1] = 0
        assert rest.max() == 0


def test_a_small_upright_digit_is_the_picture_of_the_file(monkeypatch):
    monkeypatch.setattr("course_lib.data.scenes.STEEPEST", 0.0)
    drawn = draw_scenes(499, SEED, clutter=0, noise=0.0)
    file = load_digits()
    seen = 0
    for index, slot in product(range(499), range(3)):
        x0, y0, x1, y1 = drawn.boxes[index, slot].tolist()
        if y1 - y0 != 8:
            continue
        source = drawn.sources[index, slot].item()
        picture = torch.tensor(file.images[source] / 16, dtype=torch.float32)
        columns = picture.amax(dim=0).nonzero().flatten()
        ink = picture[:, columns[0] : columns[-1] + 1]
        patch = drawn.images[index, 0, y0:y1, x0:x1]
        torch.testing.assert_close(patch, ink * (patch.max() / ink.max()), atol=1e-5, rtol=0)
        assert 0.75 - 1e-6 <= patch.max() / ink.max() <= 1
        seen += 1
    assert seen > 100


@pytest.mark.parametrize("part", PARTS)
def test_scenes_use_the_pictures_of_their_part_and_their_labels(part):
    drawn = draw_scenes(COUNT, SEED, part)
    there = drawn.labels >= 0
    assert torch.equal(there, drawn.sources >= 0)
    assert torch.equal(there, (drawn.boxes > 0).any(dim=-1))
    sources = drawn.sources[there]
    assert drawn.labels[there].tolist() == load_digits().target[sources].tolist()
    known = set(handwritten_digits(part).sources.tolist())
    assert set(sources.tolist()) <= known
    assert len(set(sources.tolist())) > 0.9 * len(known)


@pytest.mark.slow
def test_no_picture_is_in_scenes_of_two_parts():
    used = [set(draw_scenes(COUNT, SEED, part).sources.flatten().tolist()) - {-1} for part in PARTS]
    assert sum(map(len, used)) == len(set.union(*used))


def test_words_name_the_digits_that_they_say(scenes):
    singular = {name: digit for digit, name in enumerate(NAMES)}
    plural = {("sixes" if name == "six" else name + "s"): digit for name, digit in singular.items()}
    for index, caption in enumerate(scenes.captions):
        named = scenes.named[index]
        for place, word in enumerate(caption):
            labels = scenes.labels[index][named[place]].tolist()
            count = {"two": 2, "three": 3}.get(
                caption[max(place - 1, 0)], {"two": 2, "three": 3}.get(caption[max(place - 2, 0)])
            )
            if word in plural:
                assert labels == [plural[word]] * count
            else:
                assert labels in ([], [singular.get(word)])
        assert (named.sum(dim=0) == (scenes.labels[index] >= 0)).all()  # every digit by exactly one word
        assert not named[len(caption) :].any()


def test_a_noun_names_digits_of_the_size_before_it(scenes):
    for index, caption in enumerate(scenes.captions):
        for place, slot in scenes.named[index].nonzero().tolist():
            before = caption[place - 1]
            assert size_word(scenes.boxes[index, slot].tolist()) == (before if before in ("small", "large") else "")


def everything(scenes: Scenes) -> list:
    values = [getattr(scenes, field.name) for field in fields(Scenes)]
    return [value.numpy().tobytes() if isinstance(value, torch.Tensor) else value for value in values]


def test_one_seed_gives_the_same_bytes_and_leaves_the_global_generator_alone():
    state = torch.get_rng_state()
    first = draw_scenes(211, SEED)
    torch.manual_seed(7)
    second = draw_scenes(211, SEED)
    torch.set_rng_state(state)
    draw_scenes(11, SEED)
    assert torch.equal(torch.get_rng_state(), state)
    assert everything(first) == everything(second)


def test_threads_do_not_change_the_scenes():
    threads = torch.get_num_threads()
    drawn = []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            drawn.append(everything(draw_scenes(503, SEED)))
    finally:
        torch.set_num_threads(threads)
    assert drawn[0] == drawn[1]


def test_another_seed_gives_other_scenes():
    def looks(seed: int, part: str = "train") -> set[bytes]:
        return {image.numpy().tobytes() for image in draw_scenes(401, seed, part, clutter=0, noise=0.0).images}

    assert len(looks(SEED)) == 401
    assert not looks(SEED) & looks(SEED + 1)
    first, second = draw_scenes(401, SEED), draw_scenes(401, SEED, "held_out")
    assert sum(a == b for a, b in zip(first.captions, second.captions, strict=True)) < 20


def test_clutter_and_noise_change_no_digit_of_a_seed():
    drawn = [draw_scenes(2503, SEED, clutter=clutter, noise=noise) for clutter, noise in ((0, 0.0), (13, 0.2))]
    for name in ("boxes", "labels", "sources", "named"):
        assert torch.equal(getattr(drawn[0], name), getattr(drawn[1], name))
    assert drawn[0].captions == drawn[1].captions


def test_clutter_touches_no_digit_and_is_smaller_than_one():
    bare, full = (draw_scenes(307, SEED, clutter=clutter, noise=0.0) for clutter in (0, 8))
    pieces = (full.images - bare.images)[:, 0]
    assert pieces.min() == 0
    sizes = []
    for index, piece in enumerate(pieces):
        for _, (x0, y0, x1, y1) in digits_of(full, index):
            assert piece[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2].max() == 0
        sizes += islands(piece > 0)
    assert max(height for height, _ in sizes) <= 5
    assert max(width for _, width in sizes) <= 5
    assert 1.5 < len(sizes) / 307 < 8


def islands(ink: torch.Tensor) -> list[tuple[int, int]]:
    """Return (height, width) of every group of pixels that touch, also at corners."""
    todo = {tuple(pixel) for pixel in ink.nonzero().tolist()}
    found = []
    while todo:
        island, edge = set(), {todo.pop()}
        while edge:
            island |= edge
            around = {(y + dy, x + dx) for y, x in edge for dy in (-1, 0, 1) for dx in (-1, 0, 1)}
            edge = around & todo
            todo -= edge
        rows, columns = zip(*island, strict=True)
        found.append((max(rows) - min(rows) + 1, max(columns) - min(columns) + 1))
    return found


def test_images_are_between_paper_and_ink_and_noise_is_as_strong_as_asked(scenes):
    assert scenes.images.shape == (COUNT, 1, 40, 40)
    assert scenes.images.dtype == torch.float32
    assert scenes.images.min() == 0
    assert scenes.images.max() <= 1
    noisy, bare = (draw_scenes(307, SEED, noise=noise).images for noise in (0.03, 0.0))
    dark = (bare > 0.3) & (bare < 0.7)  # where nothing is cut off
    assert (noisy - bare)[dark].std() == pytest.approx(0.03, rel=0.03)


def test_lengths_vary_and_long_captions_are_no_exception(scenes):
    lengths = Counter(map(len, scenes.captions))
    assert (min(lengths), max(lengths)) == (2, 13)
    assert 0.18 < sum(count for length, count in lengths.items() if length >= 10) / COUNT < 0.28
    assert 0.2 < sum(count for length, count in lengths.items() if length <= 4) / COUNT < 0.32


def test_all_digits_sizes_and_relations_come_about_equally_often(scenes):
    labels = torch.bincount(scenes.labels[scenes.labels >= 0], minlength=10)
    assert labels.min() > 0.75 * labels.max()
    heights = Counter((scenes.boxes[..., 3] - scenes.boxes[..., 1])[scenes.labels >= 0].tolist())
    assert set(heights) == {8, 12, 16}
    assert min(heights.values()) > 0.9 * max(heights.values())
    words = Counter(word for caption in scenes.captions for word in caption)
    relations = [words[word] for word in ("left", "right", "above", "below")]
    assert min(relations) > 0.6 * max(relations)
    objects = Counter((scenes.labels >= 0).sum(dim=1).tolist())
    assert [round(objects[count] / COUNT, 1) for count in (1, 2, 3)] == [0.1, 0.4, 0.5]


@pytest.mark.slow
def test_most_captions_are_rare():
    """A model cannot learn the captions by heart: few of the held-out ones occur among many of the training ones."""
    known = {tuple(caption) for caption in draw_scenes(20011, SEED).captions}
    long = [tuple(caption) for caption in draw_scenes(COUNT, SEED, "held_out").captions if len(caption) >= 10]
    assert sum(caption in known for caption in long) < 0.2 * len(long)


@pytest.mark.parametrize("grid", [(10, 10), (5, 8), (7, 11), (40, 40)])
@pytest.mark.slow
def test_regions_are_the_cells_that_touch_a_named_box(plain, grid):
    height, width = grid
    some = plain[:53]
    regions = some.regions(height, width)
    assert regions.shape == (53, 13, height, width)
    for scene, word in product(range(53), range(13)):
        expected = torch.zeros(height, width, dtype=torch.bool)
        for slot in some.named[scene, word].nonzero().flatten().tolist():
            x0, y0, x1, y1 = some.boxes[scene, slot].tolist()
            for row, column in product(range(height), range(width)):
                across = column * 40 < x1 * width and (column + 1) * 40 > x0 * width
                expected[row, column] |= across and row * 40 < y1 * height and (row + 1) * 40 > y0 * height
        assert torch.equal(regions[scene, word], expected)


def test_a_slice_is_some_of_the_scenes(plain):
    some = plain[5:12]
    assert len(some) == 7
    assert some.captions == plain.captions[5:12]
    for name in ("images", "boxes", "labels", "sources", "named"):
        assert torch.equal(getattr(some, name), getattr(plain, name)[5:12])


def test_any_number_of_scenes_can_be_drawn():
    for count in (1, 2047, 2049):
        drawn = draw_scenes(count, SEED)
        assert {len(getattr(drawn, field.name)) for field in fields(Scenes)} == {count}


@pytest.mark.parametrize("options", [{"count": 0}, {"clutter": -1}, {"noise": -0.1}, {"variation": -1.0}])
def test_numbers_that_are_too_small_are_errors(options):
    with pytest.raises(
        ValueError, match="Expected count to be at least 1, clutter, noise and variation at least 0, got"
    ):
        draw_scenes(**{"count": 3, "seed": SEED} | options)


def test_another_part_is_an_error():
    with pytest.raises(ValueError, match="Expected part to be one of 'train'"):
        draw_scenes(3, SEED, "test")
