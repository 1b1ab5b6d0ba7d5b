"""shifted_targets(translations)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    exercise,
    expect,
    inputs,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.translation.references import END, PAD, START

NAME = "shifted_targets"
V = 23
WHAT = ("inputs", "expected")
#: How many words each sentence has between START and END. The smallest first.
LENGTHS = ((1,), (2,), (3, 3), (4, 2), (1, 5, 3), (0, 2), (2, 2, 2), (31,))


def _sentences(draw: Draw, lengths, more=0):
    """START, words, END and padding, one row for each length."""
    rows = torch.full((len(lengths), max(lengths) + 2 + more), PAD)
    for row, length in zip(rows, lengths, strict=True):
        row[0], row[length + 1] = START, END
        row[1 : length + 1] = 4 + draw.integers(V - 4, length)
    return rows


def _agree(student: Student, translations):
    pair = expect.pair(student.shifted_targets(translations), *WHAT)
    setting = f"translations {translations[:3].tolist()}"
    B, T = translations.shape
    for got, want, what in zip(pair, (translations[:, :-1], translations[:, 1:]), WHAT, strict=True):
        inputs.id_tensor(got, what)
        expect.shape(got, (B, T - 1), what, "(B, T - 1)", setting)
        if not torch.equal(got, want):
            row = int((got != want).any(dim=1).nonzero()[0])
            raise CheckFailure(
                "value",
                f"{what} is wrong.",
                setting=setting,
                expected=f"{what}[{row}] = {want[row].tolist()}",
                yours=f"{what}[{row}] = {got[row].tolist()}",
                received=got.double(),
                wanted=want.double(),
            )


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """Both lack one column: what goes in lacks the last, what is expected lacks the first"""
    for lengths in LENGTHS:
        for more in (0, 2):
            _agree(student, _sentences(draw, lengths, more))


@exercise(NAME)
@points(1)
def check_nothing_to_predict(student: Student, draw: Draw) -> None:
    """Fewer than two places raise a ValueError; two are enough"""
    for shape in ((3, 1), (1, 1), (2, 0)):
        raises_value_error(
            f"translations of shape {shape}",
            "Look at the number of columns first, and raise a ValueError that says what was expected.",
            student.shifted_targets,
            torch.full(shape, START),
            sentence=True,
        )
    _agree(student, torch.tensor([[START, END]]))
    _agree(student, torch.tensor([[START, END], [START, 7]]))


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """The translations are not changed; cut ones without an END, and other memory layouts, work as well"""
    translations = _sentences(draw, (4, 2, 5))
    _agree(student, translations[:, :-2])
    _agree(student, translations.T.contiguous().T)
