"""Scores and gains that the checks of the measures draw, and the comparison of a measure with its definition."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, expect
from autograder.checks import expect as number
from autograder.lessons.retrieval import references

#: Queries and documents, the smallest first: one document, one query, as many queries as documents, a large one.
SIZES = ((1, 1), (1, 2), (2, 3), (1, 7), (5, 5), (3, 11), (7, 37))


#: Enough queries that a measure which is wrong for some of them is wrong in every draw.
MANY = (61, 11)

#: Scores that differ by no more than this are not equal: whoever mixes score and gain in one sum gets them wrong.
CLOSE = 1e-9


def scores_of(draw: Draw, B: int, V: int, apart: float = 1 / 3) -> Tensor:
    """Draw scores of either sign that all differ in each row, by ``apart`` or more."""
    order = torch.rand((B, V), generator=draw.generator).argsort(dim=1)
    return (order - V // 2).double() * apart + 0.1


def tied_scores(draw: Draw, B: int, V: int) -> Tensor:
    """Draw scores of three values, so that most are equal to others."""
    return draw.integers(3, B, V).double() / 2 - 0.5


def relevant_of(draw: Draw, B: int, V: int, most: int = 3) -> Tensor:
    """Draw what is relevant (bool): 1 to ``most`` documents for each query, more for some than for others."""
    relevant = torch.zeros(B, V, dtype=torch.bool)
    for b in range(B):
        count = 1 + b % min(most, V)
        relevant[b, torch.randperm(V, generator=draw.generator)[:count]] = True
    return relevant


def gains_of(draw: Draw, B: int, V: int) -> Tensor:
    """Draw gains 0 to 3, at least one above 0 in each row."""
    gains = (draw.integers(5, B, V) - 1).clamp(min=0)
    gains[torch.arange(B), draw.integers(V, B)] = 1 + draw.integers(3, B)
    return gains.double()


def describe_inputs(scores: Tensor, second: Tensor, name: str, k: int | None = None) -> str:
    """Describe the inputs, in full if they are small."""
    more = "" if k is None else f", k = {k}"
    if scores.numel() > 12:
        return f"scores {tuple(scores.shape)}{more}"
    shown = second.int() if bool((second == second.int()).all()) else second
    return f"scores {[[round(s, 2) for s in row] for row in scores.tolist()]}, {name} {shown.tolist()}{more}"


def agree(
    student: Student, name: str, what: str, scores: Tensor, second: Tensor, given: str, *rest: int, more: str = ""
) -> float:
    """Fail unless a measure equals its definition; return its value."""
    setting = describe_inputs(scores, second, given, *rest) + more
    got = number.scalar(student.call(name, scores, second, *rest), what, setting)
    want = getattr(references, name)(scores, second, *rest)
    number.close_numbers({what: got}, {what: want}, f"{what} is wrong.", setting)
    return got


def agree_close(student: Student, name: str, what: str, draw: Draw, second: Tensor, given: str, *rest: int) -> None:
    """Compare a measure with its definition where scores differ by very little."""
    B, V = second.shape
    scores = scores_of(draw, B, V, CLOSE)
    agree(student, name, what, scores, second, given, *rest, more=f", scores {CLOSE:g} apart")


def same_again(student: Student, name: str, what: str, scores: Tensor, second: Tensor, given: str, *rest: int) -> None:
    """Compare calls with other dtypes, memory layouts and earlier calls, and see that nothing is changed in place."""
    for dtype in (torch.float32, torch.float64):
        agree(student, name, what, scores.to(dtype), second, given, *rest, more=f", {dtype}")
    turned = scores.T.contiguous().T, second.T.contiguous().T
    agree(student, name, what, *turned, given, *rest, more=", transposed tensors")
    before = [(scores.flip(0), second, *rest), (scores[:1], second[:1], *rest)]
    answer = student.answer(Request(name, (scores, second, *rest), before=before))
    got = number.scalar(answer.value, what)
    want = getattr(references, name)(scores, second, *rest)
    number.close_numbers({what: got}, {what: want}, f"{what} is wrong after other calls.")


def uses_both(call: Callable[[Tensor, Tensor], Any], scores: Tensor, second: Tensor, what: str) -> None:
    """Fail unless other scores give another number: what refuses everything, or nothing, earns nothing by it."""
    first, other = (number.scalar(call(each, second), what) for each in (scores, -scores))
    expect.depends_on_its_inputs(torch.tensor(first), torch.tensor(other), what)
