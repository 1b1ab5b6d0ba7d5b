"""within_capacity(chosen, num_experts, capacity)."""

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Matrix, Student, exercise, expect, points, promises
from autograder.lessons.modern_attention import references

NAME = "within_capacity"
WHAT = "The mask"


def _choices(draw: Draw, N: int, E: int, k: int, favourites: bool = False) -> Tensor:
    """Return the numbers of k different experts for each row; with favourites, most rows want the first ones."""
    keys = torch.rand(N, E, generator=draw.generator)
    if favourites:
        keys = keys + torch.linspace(0.8, 0, E)
    return keys.topk(k, dim=-1).indices


def _agree(student: Student, chosen: Tensor, E: int, capacity: int, setting: str = "") -> Tensor:
    N, k = chosen.shape
    said = f"{N} rows, k = {k}, {E} experts, capacity {capacity}" + (f", {setting}" if setting else "")
    kept = expect.tensor(student.call(NAME, chosen, E, capacity), WHAT)
    expect.shape(kept, (N, k), WHAT, "(N, k)", said)
    expect.boolean(kept, WHAT, said)
    want = references.within_capacity(chosen, E, capacity)
    wrong = kept != want
    if wrong.any():
        column, row = wrong.T.nonzero()[0].tolist()
        expert = int(chosen[row, column])
        right = bool(want[row, column])
        places = f"{int(want[chosen == expert].sum())} of {int((chosen == expert).sum())} choices"
        raise CheckFailure(
            "value",
            f"Choice {column} of row {row}, expert {expert}, {'gets a place' if right else 'is dropped'}.",
            setting=said,
            expected=f"{right}; this expert takes {places}",
            yours=f"{not right}; it takes {int(kept[chosen == expert].sum())}",
            received=kept.double(),
            wanted=want.double(),
            picture=Matrix(kept.double(), want.double(), wrong, "kept", "rows: tokens, columns: their choices"),
            hint="Give the places by hand: the first choices of all rows, from the top, then the second choices. Who comes to a "
            "full expert is dropped.",
        )
    return kept


@exercise(NAME)
@points(2)
def check_places(student: Student, draw: Draw) -> None:
    """With one choice for each row, an expert takes the first rows that ask, as many as it has places"""
    for N, E, capacity in [(7, 3, 2), (11, 4, 1), (13, 3, 4), (17, 5, 3)]:
        _agree(student, _choices(draw, N, E, 1), E, capacity)
    _agree(student, torch.full((9, 1), 2), 4, 3, "all rows have chosen expert 2")
    _agree(student, torch.arange(8).view(8, 1) % 4, 4, 2, "every expert is full")


@exercise(NAME)
@points(2)
def check_first_choices_come_first(student: Student, draw: Draw) -> None:
    """The first choices of all rows get places before the second ones"""
    for N, E, k, capacity in [(11, 5, 2, 3), (13, 4, 2, 5), (9, 5, 3, 4), (17, 7, 3, 6)]:
        for favourites in (False, True):
            setting = "some experts are asked more often" if favourites else ""
            _agree(student, _choices(draw, N, E, k, favourites), E, capacity, setting)
    late = torch.tensor([[0, 1], [2, 1], [1, 2], [1, 0]])
    _agree(student, late, 3, 2, "expert 1 is the second choice of the first rows")


@exercise(NAME)
@points(1)
@promises
def check_limits(student: Student, draw: Draw) -> None:
    """Without places all are dropped, with a place for every row none; the choices stay as they are"""
    for N, E, k in [(11, 5, 2), (5, 7, 3), (1, 3, 2)]:
        chosen = _choices(draw, N, E, k, favourites=True)
        for capacity in (0, 1, N):
            _agree(student, chosen, E, capacity)
    _agree(student, _choices(draw, 11, 3, 2), 8, 2, "five experts that nobody has chosen")
