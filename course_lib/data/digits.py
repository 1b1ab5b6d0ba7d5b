"""Real handwritten digits, split for training and evaluation.

They are scikit-learn's copy of the test set of the UCI "Optical Recognition of Handwritten Digits": 1797 pictures of
8 x 8 pixels that 13 people wrote on preprinted forms. The file does not name the writers. But the sequence of digits on the form
repeats 14 times, so the file holds one form after the other (and somebody seems to have filled in two).
"""

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from course_lib.digits_file import digits_file

PARTS = ("train", "held_out", "new_writers")  # no picture is in two of them
FIFTHS = ("four_fifths", "one_fifth")  # nor in both of these
LAST_FORMS = 1545  # index at which the last two of the 14 forms begin
HELD_OUT = 4  # one of so many pictures of each digit is held out
FIFTH = 5
SPLIT_SEED = 1998  # the year of the data set


@dataclass(frozen=True)
class Digits:
    """Pictures of digits: the darkness of each pixel, from 0 (paper) to 1, the label, and the index in the file."""

    images: Float[Tensor, "N 8 8"]
    labels: Int64[Tensor, " N"]
    sources: Int64[Tensor, " N"]


@cache
def handwritten_digits(part: str) -> Digits:
    """Return the digits of one part, sorted by label. There are two ways of splitting the file.

    "train" and "held_out" are three quarters and one quarter of the first 12 forms, split by picture, digit by digit,
    with a fixed seed. The same people wrote both. "new_writers" are the last two forms, of people who, as far as the
    order of the file tells, wrote nothing in the other parts. That is harder: a support vector machine that learns from
    "train" reads 99 % of the digits in "held_out" and 95 % of those in "new_writers".

    "four_fifths" and "one_fifth" are the whole file, split by picture, digit by digit, with the same fixed seed: a little more
    to learn from. A support vector machine that learns from "four_fifths" reads 99 % of "one_fifth".

    Raises ValueError for another part and ImportError without scikit-learn.
    """
    if part not in PARTS + FIFTHS:
        raise ValueError(f"Expected part to be one of {', '.join(map(repr, PARTS + FIFTHS))}, got {part!r}.")
    images, labels = _load()
    sources = _sources(part, labels)
    sources = sources[np.argsort(labels[sources], kind="stable")]
    ink = torch.tensor(images[sources] / 16.0, dtype=torch.float32)
    return Digits(ink, torch.tensor(labels[sources]), torch.tensor(sources))


def _load() -> tuple[np.ndarray, np.ndarray]:
    found = digits_file()
    if found is None:
        raise ImportError("The handwritten digits come with scikit-learn: pip install scikit-learn")
    rows = np.loadtxt(found, delimiter=",")
    return rows[:, :-1].reshape(-1, 8, 8), rows[:, -1].astype(np.int64)


def _sources(part: str, labels: np.ndarray) -> np.ndarray:
    """Return the indices in the file of one part's pictures, in ascending order."""
    if part == "new_writers":
        return np.arange(LAST_FORMS, len(labels))
    split, out_of = (labels, FIFTH) if part in FIFTHS else (labels[:LAST_FORMS], HELD_OUT)
    held_out = np.zeros(len(split), dtype=bool)
    for digit in range(10):
        shuffled = sorted(np.flatnonzero(split == digit).tolist(), key=_shuffling)
        held_out[shuffled[: len(shuffled) // out_of]] = True
    return np.flatnonzero(held_out == (part in ("held_out", "one_fifth")))


def _shuffling(place: int) -> bytes:
    """Return a sort key for an index; unlike a generator's numbers, it does not depend on the version of a library."""
    return hashlib.sha256(f"{SPLIT_SEED}/{place}".encode()).digest()
