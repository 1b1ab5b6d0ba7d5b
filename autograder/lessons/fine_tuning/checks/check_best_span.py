"""best_span(start, end)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    inputs,
    points,
    promises,
)

NAME = "best_span"
#: Enough rows that best spans of limited length are no coincidence.
_ENOUGH = 20


def _want(start, end, most=None):
    """Try every span, if a number is given only those of at most that many tokens."""
    found = []
    for s, e in zip(start.tolist(), end.tolist(), strict=True):
        spans = [(s[i] + e[j], i, j) for i in range(len(s)) for j in range(i, min(len(s), i + (most or len(s))))]
        found.append(max(spans)[1:])
    return torch.tensor(found).unbind(1)


def _spans(student: Student, start, end):
    results = expect.pair(student.best_span(start, end), "first", "last")
    for value, what in zip(results, ("first", "last"), strict=True):
        expect.shape(value, (len(start),), what, "(B,)", f"start {tuple(start.shape)}")
        inputs.id_tensor(value, what)
    return results


def _limit(student: Student, start, end) -> int:
    """Return the length up to which the spans that come out are the best ones, where longer ones would be better; else 0."""
    first, last = _spans(student, start, end)
    most = int((last - first).max()) + 1
    limited = _want(start, end, most)
    return most if torch.equal(first, limited[0]) and torch.equal(last, limited[1]) else 0


def _agree(student: Student, start, end, more=""):
    first, last = _spans(student, start, end)
    want = _want(start, end)
    wrong = (first != want[0]) | (last != want[1])
    if not bool(wrong.any()):
        return
    b = int(wrong.nonzero()[0])
    backwards = bool((last < first).any())
    alone = torch.equal(first, start.argmax(1)) and torch.equal(last, end.argmax(1))
    limit = 0 if backwards or len(start) < _ENOUGH else _limit(student, start, end)
    cause = "ends before it begins" if backwards else f"no span of more than {limit} tokens" if limit else ""
    raise CheckFailure(
        "span",
        "The span is not the best one.",
        setting=f"start {expect.numbers(start[b])}, end {expect.numbers(end[b])}{more}",
        expected=f"({int(want[0][b])}, {int(want[1][b])})",
        yours=f"({int(first[b])}, {int(last[b])})",
        received=torch.stack((first, last)).double(),
        wanted=torch.stack(want).double(),
        cause=cause,
        hint="The best start and the best end, each for itself, need not make a span."
        if alone and backwards
        else "A span needs first ≤ last; of those, the one with the largest start[first] + end[last]."
        if backwards
        else f"In {len(start)} rows your spans are the best ones of at most {limit} tokens. The text sets no limit."
        if limit
        else "",
    )


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """It is the span with the largest start[first] + end[last], among those with first ≤ last, for each row"""
    for B, N in ((1, 1), (1, 2), (1, 3), (3, 2), (3, 3), (2, 7), (40, 5), (7, 11), (20, 41), (1, 131)):
        for scale in (1.0, 10.0):
            _agree(student, draw.normal(B, N, scale=scale), draw.normal(B, N, scale=scale))
            _agree(student, draw.normal(B, N, scale=scale) - 50.0, draw.normal(B, N, scale=0.1))
        _agree(student, draw.normal(B, N) - 1e6, draw.normal(B, N) - 1e6, " (all far below 0)")
        _agree(student, draw.normal(B, N, scale=1e6), draw.normal(B, N, scale=1e6), " (far apart)")


@exercise(NAME)
@points(2)
@promises
def check_hidden_and_unchanged(student: Student, draw: Draw) -> None:
    """It works with scores of −inf, where no answer may lie, in float32 and on any device too, and changes nothing"""
    for dtype in (torch.float64, torch.float32):
        for B, N in ((1, 3), (5, 7), (20, 4)):
            allowed = draw.allowed(B, N)
            start, end = (draw.normal(B, N, dtype=dtype).masked_fill(~allowed, -torch.inf) for _ in range(2))
            _agree(student, start, end)
    function_works_where_its_inputs_are(student, NAME, start, end)
