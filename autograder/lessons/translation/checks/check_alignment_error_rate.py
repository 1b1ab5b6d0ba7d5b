"""alignment_error_rate(found, sure, possible)."""

import math

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    exercise,
    points,
    promises,
    raises_value_error,
)

NAME = "alignment_error_rate"
NAMES = ("found", "sure", "possible")


def _drawn(draw: Draw, *shape):
    """Draw three alignments in which every kind of pair occurs, if there is room; what is sure is possible.

    Some pair is found and some pair is sure: a rate of nothing at all is for another row.
    """
    while True:
        found, sure, more = (draw.normal(*shape) > bound for bound in (0.3, 0.5, 0.2))
        if found.any() and sure.any():
            return found, sure, sure | more


def _telling(draw: Draw):
    """Draw alignments (5, 7) whose rate is not that of other formulas, and whose rows all have a pair of each kind."""
    while True:
        found, sure, possible = _drawn(draw, 5, 7)
        A, S, both, fine = (int(pairs.sum()) for pairs in (found, sure, found & sure, found & possible))
        others = ((both + fine) / (A + S), 2 * both / (A + S), 1 - 2 * both / (A + S), 1 - (both / S + fine / A) / 2)
        rows = all(kind.any(dim=1).all() for kind in (sure, possible & ~sure, ~possible))
        if rows and all(abs(_want(found, sure, possible) - other) > 0.005 for other in others):
            return found, sure, possible


def _want(found, sure, possible):
    """Count pair by pair."""
    pairs = list(zip(found.flatten().tolist(), sure.flatten().tolist(), possible.flatten().tolist(), strict=True))
    total = sum(a for a, _, _ in pairs) + sum(s for _, s, _ in pairs)
    right = sum(a and s for a, s, _ in pairs) + sum(a and p for a, _, p in pairs)
    return 1 - right / total if total else 0.0


def _agree(student: Student, alignments, setting=""):
    setting = setting or f"alignments {tuple(alignments[0].shape)}"
    got = student.alignment_error_rate(*alignments)
    if isinstance(got, bool) or not isinstance(got, float | int):
        raise CheckFailure(
            "type",
            "The rate should be one float.",
            setting=setting,
            yours=f"a {type(got).__name__}",
            received=type(got).__name__,
            cause="not a float",
            hint="All pairs together make one number; .item() or float() makes it plain.",
        )
    want = _want(*alignments)
    if not math.isclose(got, want, abs_tol=1e-6):
        raise CheckFailure(
            "value",
            "The rate is wrong.",
            setting=setting,
            expected=f"{want:.4f}",
            yours=f"{got:.4f}",
            received=torch.tensor([float(got)], dtype=torch.float64),
            wanted=torch.tensor([want], dtype=torch.float64),
        )


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """The sure pairs that were found and the possible ones that were found, over all found and all sure ones"""
    for shape in ((1, 1), (1, 2), (2, 2), (2, 3), (5, 7), (3, 5, 7), (11,), (4, 4), (2, 13, 3)):
        for _ in range(3):
            _agree(student, _drawn(draw, *shape))
    found, sure, _ = _drawn(draw, 5, 7)
    _agree(student, (found, sure, sure), "nothing but what is sure is possible")


@exercise(NAME)
@points(1)
def check_all_and_nothing(student: Student, draw: Draw) -> None:
    """It is 0 if all sure pairs were found and the rest is possible, 1 if nothing is right, and 0 if there is nothing at all"""
    none, (_, sure, possible) = torch.zeros(5, 7, dtype=torch.bool), _telling(draw)
    _agree(student, (sure, sure, possible), "found: the sure pairs")
    _agree(student, (possible, sure, possible), "found: the possible pairs")
    _agree(student, (none, sure, possible), "nothing found")
    _agree(student, (~possible, sure, possible), "only impossible pairs found")
    _agree(student, (possible & ~sure, none, possible), "nothing is sure")
    _agree(student, (~possible, none, possible), "nothing is sure, and only impossible pairs found")
    _agree(student, (none, none, possible), "nothing found and nothing sure")
    _agree(student, (none, none, none), "nothing at all")


@exercise(NAME)
@points(1)
@promises
def check_shapes(student: Student, draw: Draw) -> None:
    """Alignments of different shapes raise a ValueError, also where they would broadcast; nothing is changed in place"""
    found, sure, possible = _telling(draw)
    for wrong in (
        (found.T, sure, possible),
        (found, sure[:, :1], possible),
        (found[:1], sure, possible),
        (found, sure, possible[None]),
        (found, sure, possible[:, :6]),
        (found.flatten(), sure, possible),
    ):
        raises_value_error(
            f"A call with alignments of the shapes {', '.join(str(tuple(one.shape)) for one in wrong)}",
            "Compare all three shapes first, and raise a ValueError that says what was expected.",
            student.alignment_error_rate,
            *wrong,
            sentence=True,
        )
    _agree(student, (found, sure, possible))
    _agree(student, [one.T.contiguous().T for one in (found, sure, possible)], "transposed tensors")
