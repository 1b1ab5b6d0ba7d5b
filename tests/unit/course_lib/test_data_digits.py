import hashlib
import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from course_lib.data import handwritten_digits
from course_lib.data.digits import FIFTHS, PARTS


@pytest.fixture(scope="module")
def file():
    return load_digits()


@pytest.mark.parametrize("parts", [PARTS, FIFTHS])
def test_every_picture_of_the_file_is_in_exactly_one_part(file, parts):
    sources = torch.cat([handwritten_digits(part).sources for part in parts])
    assert sorted(sources.tolist()) == list(range(len(file.images)))


@pytest.mark.parametrize("parts", [PARTS, FIFTHS])
def test_no_two_parts_hold_the_same_pixels(parts):
    pixels = [{picture.numpy().tobytes() for picture in handwritten_digits(part).images} for part in parts]
    assert sum(map(len, pixels)) == len(set.union(*pixels)) == 1797


@pytest.mark.parametrize("part", PARTS + FIFTHS)
def test_pictures_and_labels_are_those_of_the_file(file, part):
    digits = handwritten_digits(part)
    assert np.array_equal(digits.images.numpy() * 16, file.images[digits.sources])
    assert digits.labels.tolist() == file.target[digits.sources].tolist()
    assert digits.labels.tolist() == sorted(digits.labels.tolist())


@pytest.mark.parametrize("part", PARTS + FIFTHS)
def test_every_digit_is_there_about_equally_often(part):
    counts = torch.bincount(handwritten_digits(part).labels, minlength=10)
    assert counts.min() > 0.8 * counts.max()


def test_one_picture_in_four_is_held_out():
    train, held_out = (len(handwritten_digits(part).labels) for part in ("train", "held_out"))
    assert train + held_out == 1545
    assert abs(held_out / 1545 - 0.25) < 0.005


def test_one_picture_in_five_is_in_the_last_fifth():
    assert [len(handwritten_digits(part).labels) for part in FIFTHS] == [1442, 355]


def test_new_writers_begin_where_a_form_ends_and_another_begins(file):
    """Forms show in the digits alone: the same sequence comes again and again, with a digit missing here and there."""
    text = "".join(map(str, file.target))
    first = int(handwritten_digits("new_writers").sources.min())
    begins, ends = "01234567890123456", "490898"
    assert text.startswith(begins)
    assert text.endswith(ends)
    assert text[first:].startswith(begins)
    assert text[:first].endswith(ends)
    assert text[first:].count(ends) == 2


def test_another_part_is_an_error():
    with pytest.raises(
        ValueError,
        match="Expected part to be one of 'train', 'held_out', 'new_writers', 'four_fifths', 'one_fifth', got 'test'",
    ):
        handwritten_digits("test")


def test_importing_the_package_does_not_import_scikit_learn():
    code = "import sys, course_lib.data; print({'sklearn', 'scipy', 'datasets'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("course_lib.digits_file.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install scikit-learn"):
        handwritten_digits.__wrapped__("train")


def test_the_split_never_changes(file):
    """A model that was trained with one version of the libraries is graded with another."""
    held_out = handwritten_digits("held_out").sources
    assert sorted(held_out.tolist())[:12] == [0, 6, 11, 13, 17, 21, 23, 24, 32, 33, 38, 42]
    for digit in range(10):
        places = [place for place in range(1545) if file.target[place] == digit]
        ranked = sorted(places, key=lambda place: hashlib.sha256(f"1998/{place}".encode()).hexdigest())
        assert set(ranked[: len(places) // 4]) == set(held_out[handwritten_digits("held_out").labels == digit].tolist())


def test_a_support_vector_machine_finds_new_writers_harder():
    """The numbers in the docstring, measured with a model of somebody else's."""
    data = {part: handwritten_digits(part) for part in PARTS + FIFTHS}
    pixels = {part: digits.images.flatten(1).numpy() for part, digits in data.items()}
    machine = SVC(C=10, gamma=0.05).fit(pixels["train"], data["train"].labels.numpy())
    scores = {part: machine.score(pixels[part], data[part].labels.numpy()) for part in PARTS}
    of_the_whole = SVC(C=10, gamma=0.05).fit(pixels["four_fifths"], data["four_fifths"].labels.numpy())
    assert round(of_the_whole.score(pixels["one_fifth"], data["one_fifth"].labels.numpy()), 2) == 0.99
    assert round(scores["held_out"], 2) == 0.99
    assert round(scores["new_writers"], 2) == 0.95
