"""packed(documents)."""

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
)
from autograder.lessons.language_models import references

NAME = "packed"
WHAT = ("allowed", "places")
#: The lengths of the documents of each row. The smallest first: a single token, one document, a document for every token.
ROWS = (
    ((1,),),
    ((1, 1),),
    ((2,),),
    ((3,), (1, 2)),
    ((2, 3, 2), (7,), (1, 5, 1)),
    ((1, 1, 1), (3,), (2, 1)),
    ((11, 17, 3),),
    ((5, 6), (1, 10)),
)
_AS_FLOATS = (
    "The same rows are right with small numbers. A float32 holds whole numbers only up to 2²⁴, a float64 up to 2⁵³: compare the "
    "numbers as they are."
)
#: Tokens of the rows whose borders are drawn.
DRAWN = 19


def _documents(draw: Draw, rows, numbers="any"):
    """Numbers of documents: counted from 0 in each row, or any numbers in any order, the first of every second row that of the
    last document of the row before.
    """
    lines: list[torch.Tensor] = []
    for row, lengths in enumerate(rows):
        names = torch.arange(len(lengths)) if numbers == "counted" else draw.permutation(max(len(lengths), 2) * 5) + 3
        if row % 2 and numbers == "any":
            last = lines[-1][-1].clone()
            names = torch.cat([last[None], names[names != last]])
        lines.append(names[: len(lengths)].repeat_interleave(torch.tensor(lengths)))
    return torch.stack(lines)


def _rows(draw: Draw):
    """The rows, and some whose borders are drawn."""
    borders = [torch.randperm(DRAWN - 1, generator=draw.generator)[:3].sort().values + 1 for _ in range(3)]
    return (*ROWS, tuple(tuple(torch.tensor([0, *each.tolist(), DRAWN]).diff().tolist()) for each in borders))


def _both(student: Student, documents):
    """Return the student's mask and places, of the right shapes."""
    allowed, places = expect.pair(student.packed(documents), *WHAT)
    (B, N), setting = documents.shape, _setting(documents)
    expect.shape(allowed, (B, 1, N, N), "allowed", "(B, 1, N, N)", setting)
    expect.shape(places, (B, N), "places", "(B, N)", setting)
    return allowed, places


def _setting(documents):
    return f"documents {documents[:3].tolist()}"


def _same(got, want, what, documents):
    if torch.equal(got, want):
        return
    at = (got != want).nonzero()[0].tolist()
    row = tuple(at[:-1])
    raise CheckFailure(
        "value",
        f"{what} is wrong." if what == "allowed" else f"The {what} are wrong.",
        setting=_setting(documents),
        expected=f"{what}[{', '.join(map(str, row))}] = {want[row].long().tolist()}",
        yours=f"{what}[{', '.join(map(str, row))}] = {got[row].long().tolist()}",
        received=got.double(),
        wanted=want.double(),
    )


@exercise(NAME)
@points(2)
def check_allowed(student: Student, draw: Draw) -> None:
    """`allowed` (B, 1, N, N) is True for two tokens of the same document, and for no others"""
    for rows in _rows(draw):
        documents = _documents(draw, rows, "counted")
        allowed, _ = _both(student, documents)
        expect.boolean(allowed, "allowed")
        _same(allowed, references.packed(documents)[0], "allowed", documents)


@exercise(NAME)
@points(2)
def check_places(student: Student, draw: Draw) -> None:
    """`places` (B, N) counts from 0 in each document"""
    for rows in _rows(draw):
        documents = _documents(draw, rows, "counted")
        _, places = _both(student, documents)
        if places.is_floating_point() or places.is_complex() or places.dtype == torch.bool:
            raise CheckFailure(
                "dtype",
                "places should hold whole numbers.",
                yours=str(places.dtype),
                received=str(places.dtype),
                cause="places are not whole numbers",
                hint="They are the numbers of rows of a table, which cannot be looked up with floating-point numbers.",
            )
        _same(places.long(), references.packed(documents)[1], "places", documents)


def _is_right_with(student: Student, documents: Tensor) -> bool:
    expected = references.packed(documents)
    return all(
        torch.equal(got.to(want.dtype), want) for got, want in zip(_both(student, documents), expected, strict=True)
    )


@exercise(NAME)
@points(1)
@promises
def check_any_numbers(student: Student, draw: Draw) -> None:
    """The numbers of the documents may be any, in any order, on any device; memory layouts and earlier calls change nothing"""
    for rows in ROWS:
        for sign, more in ((1, 0), (-1, 0), (1, 2**60)):  # so large that neighbouring numbers are one as a float
            documents = sign * _documents(draw, rows) + more
            for given in (documents, documents.T.contiguous().T):
                for got, want, what in zip(_both(student, given), references.packed(documents), WHAT, strict=True):
                    try:
                        _same(got.to(want.dtype), want, what, documents)
                    except CheckFailure as failure:
                        if more and _is_right_with(student, documents - more):
                            failure.cause, failure.hint = "large numbers taken for equal", _AS_FLOATS
                        raise
    function_works_where_its_inputs_are(student, NAME, documents)
