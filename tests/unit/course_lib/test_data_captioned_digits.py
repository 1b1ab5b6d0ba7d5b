"""Digits with an ink, a paper and a caption."""

import math
from collections import Counter

import pytest
import torch

from course_lib.data import CAPTION_ENTROPY, caption_of, captioned_vocabulary, draw_captioned_digits
from course_lib.data.captioned_digits import DIGITS, INKS, PAPERS


def test_the_caption_says_what_was_drawn():
    drawn = draw_captioned_digits(200, 3)
    for words, (digit, ink, paper) in zip(drawn.captions, drawn.said.tolist(), strict=True):
        assert words == caption_of(digit, ink, paper)
        assert words[1:3] == [list(INKS)[ink], DIGITS[digit]]
        assert words[3:] == ([] if paper == 0 else ["on", list(PAPERS)[paper]])
    assert not {3} & {ids for caption in drawn.captions for ids in captioned_vocabulary().encode(caption)}  # unknown


def test_the_picture_shows_ink_and_paper():
    """The corners are nearly always paper; the darkest stroke has the ink's channels bright and the others dark."""
    drawn = draw_captioned_digits(400, 4)
    corners = drawn.images[:, :, 0, 0].mean(1)
    for number, light in enumerate(PAPERS.values()):
        assert corners[drawn.said[:, 2] == number].median() == pytest.approx(light, abs=0.15)
    black = drawn.said[:, 2] == 0
    for number, colour in enumerate(INKS.values()):
        largest = drawn.images[black & (drawn.said[:, 1] == number)].amax(dim=(2, 3)).mean(0)
        assert ((largest > 0.5) == (torch.tensor(colour) > 0)).all()


def test_every_caption_is_as_likely():
    drawn = draw_captioned_digits(18_000, 5)
    counts = Counter(map(tuple, drawn.said.tolist()))
    assert len(counts) == 180
    assert math.log(180) == CAPTION_ENTROPY
    chi = sum((count - 100) ** 2 / 100 for count in counts.values())
    assert 179 - 7 * math.sqrt(2 * 179) < chi < 179 + 7 * math.sqrt(2 * 179)


def test_seen_and_unseen_combinations_share_none():
    seen, unseen = (
        set(map(tuple, draw_captioned_digits(5000, 6, combinations=kind).said[:, :2].tolist()))
        for kind in ("seen", "unseen")
    )
    assert len(seen) == 50
    assert len(unseen) == 10
    assert not seen & unseen
    assert {digit for digit, _ in unseen} == set(range(10))


def test_the_same_arguments_give_the_same_pictures():
    one, again, other = (draw_captioned_digits(30, seed, variation=0.7) for seed in (5, 5, 6))
    assert torch.equal(one.images, again.images)
    assert not torch.equal(one.images, other.images)
    assert len(draw_captioned_digits(0, 1)) == 0
    assert one.images.min() >= 0
    assert one.images.max() <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": -1}, "at least 0"),
        ({"variation": -0.1}, "at least 0"),
        ({"combinations": "some"}, "one of all, seen, unseen"),
        ({"part": "nowhere"}, "part"),
    ],
)
def test_invalid_arguments_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_captioned_digits(**{"count": 2, "seed": 0} | arguments)
