"""perplexity_and_bits(losses, sizes)."""

import math

import torch

from autograder.checks import (
    Draw,
    Student,
    close_numbers,
    exercise,
    pair,
    points,
    promises,
    raises_value_error,
    scalar,
)
from autograder.lessons.language_models import references

NAME = "perplexity_and_bits"
WHAT = ("the perplexity", "the bits per byte")


def _both(student: Student, losses, sizes, setting=""):
    values = pair(student.perplexity_and_bits(losses, sizes), *WHAT)
    setting = setting or f"losses {_shown([round(x, 3) for x in losses.tolist()])}, sizes {_shown(sizes.tolist())}"
    return tuple(scalar(value, what.capitalize(), setting) for value, what in zip(values, WHAT, strict=True)), setting


def _shown(numbers: list, most: int = 7) -> str:
    return str(numbers) if len(numbers) <= most else f"[{str(numbers[:most])[1:-1]}, …] ({len(numbers)} tokens)"


def _agree(student: Student, inputs, which, setting=""):
    losses, sizes = inputs
    got, setting = _both(student, losses, sizes, setting)
    want = references.perplexity_and_bits(losses, sizes)
    name = WHAT[which]
    message = f"{name.capitalize()} {'is' if which == 0 else 'are'} wrong."
    close_numbers({name: got[which]}, {name: want[which]}, message, setting)


def _inputs(draw: Draw, N, dtype=torch.float64):
    return draw.normal(N, dtype=dtype).abs() * 2 + 0.1, 1 + draw.integers(7, N)


def _with_empty_tokens(draw: Draw, N):
    """Return inputs in which every third token stands for no byte, as the end of a text does."""
    losses, sizes = _inputs(draw, N)
    return losses, sizes * (torch.arange(N) % 3 != 1)


def _by_hand():
    """Two tokens of two bytes each, of probability 1/2 and 1/8: 4 bits in 4 bytes, and a mean of 2 bits."""
    return torch.tensor([math.log(2), math.log(8)], dtype=torch.float64), torch.tensor([2, 2])


@exercise(NAME)
@points(1)
def check_perplexity(student: Student, draw: Draw) -> None:
    """The perplexity is e to the mean loss of a token: 4 for two tokens of the probabilities 1/2 and 1/8"""
    _agree(student, _by_hand(), 0)
    for N in (1, 2, 7, 101, 2003):  # the last so long that no float64 holds the product of all probabilities
        _agree(student, _inputs(draw, N), 0)
    for N in (2, 7):
        _agree(student, _with_empty_tokens(draw, N), 0)


@exercise(NAME)
@points(2)
def check_bits_per_byte(student: Student, draw: Draw) -> None:
    """All bits divided by all bytes: 1 for two tokens of two bytes with the probabilities 1/2 and 1/8"""
    _agree(student, _by_hand(), 1)
    for N in (1, 2, 7, 101):
        _agree(student, _inputs(draw, N), 1)
    for N in (2, 7):
        _agree(student, _with_empty_tokens(draw, N), 1)


@exercise(NAME)
@points(1)
@promises
def check_refusals_and_types(student: Student, draw: Draw) -> None:
    """No token, no byte or different shapes raise a ValueError; float32 is taken too, and nothing is changed"""
    for losses, sizes, what in (
        (torch.zeros(0), torch.zeros(0, dtype=torch.int64), "No token at all"),
        (torch.ones(2), torch.zeros(2, dtype=torch.int64), "No byte at all"),
        (torch.ones(3), torch.ones(2, dtype=torch.int64), "Three losses and two sizes"),
    ):
        hint = "Look at the shapes and at the sum of the sizes first, and raise a ValueError that says what came."
        raises_value_error(what, hint, student.perplexity_and_bits, losses, sizes, sentence=True)
    losses, sizes = _inputs(draw, 13, torch.float32)
    for which in (0, 1):
        _agree(student, (losses, sizes), which, "float32")
