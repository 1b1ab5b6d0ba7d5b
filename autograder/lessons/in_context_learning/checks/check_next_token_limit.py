"""next_token_limit(sentences, probabilities, V)."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises
from autograder.lessons.in_context_learning import references

NAME = "next_token_limit"
WHAT = ("P", "H")
V = 7
Language = tuple[Tensor, Tensor, int]
#: Sentences at most, tokens of each: the smallest first.
SIZES = ((1, 1), (2, 1), (2, 2), (3, 2), (4, 3), (6, 3), (9, 4), (12, 5), (3, 3), (17, 3))


def _language(draw: Draw, most: int, places: int, dtype: torch.dtype = torch.float64) -> Language:
    """Draw at most ``most`` sentences of two words for each place; the same two may stand at two places."""
    first = draw.integers(V - 1, places)
    sentences = (first + draw.integers(2, most, places)).unique(dim=0)
    sentences = sentences[torch.randperm(len(sentences), generator=draw.generator)]
    return sentences, draw.normal(len(sentences)).softmax(0).to(dtype), V


def _languages(draw: Draw) -> list[Language]:
    """Return the lesson's three sentences with other probabilities, and languages that are drawn."""
    three = torch.tensor([[0, 1, 3], [0, 2, 3], [0, 2, 4]]), draw.normal(3).softmax(0), V
    same_ending = torch.tensor([[1, 2, 3], [4, 2, 5], [1, 6, 3]]), draw.normal(3).softmax(0), V
    return [three, same_ending, *(_language(draw, *size) for size in SIZES for _ in range(2))]


def _setting(given: Language) -> str:
    sentences, probabilities, _ = given
    if sentences.numel() > 12:
        return f"sentences {tuple(sentences.shape)}, V = {V}"
    return f"sentences {sentences.tolist()}, probabilities {expect.numbers(probabilities)}, V = {V}"


def _results(value: Any, given: Language) -> tuple[Tensor, Tensor]:
    P, H = expect.pair(value, *WHAT)
    expect.shape(P, (*given[0].shape, V), "P", "(K, N, V)", _setting(given))
    expect.shape(H, (given[0].shape[1],), "H", "(N,)", _setting(given))
    return P, H


@exercise(NAME)
@points(2)
def check_distribution(student: Student, draw: Draw) -> None:
    """P[k, n] is the probability of every token at place n, given the tokens of sentence k before it"""
    for given in _languages(draw):
        P, _ = _results(student.next_token_limit(*given), given)
        expect.allclose(P, references.next_token_limit(*given)[0], "P", setting=_setting(given))


@exercise(NAME)
@points(2)
def check_limit(student: Student, draw: Draw) -> None:
    """H[n] is the mean of −log P of the token that comes at place n, each sentence as often as it comes"""
    for given in _languages(draw):
        _, H = _results(student.next_token_limit(*given), given)
        want = references.next_token_limit(*given)[1]
        expect.allclose(H, want, "H", size=max(1.0, float(want.max())), setting=_setting(given))


@exercise(NAME)
@points(1)
@promises
def check_dtypes_and_arguments(student: Student, draw: Draw) -> None:
    """P and H have the dtype of the probabilities, and the arguments are not changed"""
    for dtype in (torch.float32, torch.float64):
        given = _language(draw, 6, 3, dtype)
        answer = student.answer(Request(NAME, given))
        for part, want, name in zip(
            _results(answer.value, given), references.next_token_limit(*given), WHAT, strict=True
        ):
            expect.dtype(part, dtype, name)
            expect.allclose(part, want, name, setting=_setting(given))
