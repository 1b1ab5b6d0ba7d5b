"""exact_limit(sentences, probabilities, hidden, V)."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, close_numbers, exercise, expect, pair, points, promises, scalar
from autograder.lessons.mlm_pretraining import references

NAME = "exact_limit"
WHAT = ("P", "L")
Language = tuple[Tensor, Tensor, Tensor, int]


def _language(draw: Draw, most: int, places: int, hide: int, dtype: torch.dtype = torch.float64) -> Language:
    """Draw at most ``most`` sentences of two words for each place, and hide ``hide`` places of them all."""
    first = 2 * draw.integers(3, places)
    sentences = (first + draw.integers(2, most, places)).unique(dim=0)
    sentences = sentences[torch.randperm(len(sentences), generator=draw.generator)]
    probabilities = draw.normal(len(sentences)).softmax(0).to(dtype)
    hidden = torch.randperm(places, generator=draw.generator) < hide
    return sentences, probabilities, hidden, 7


def _setting(given: Language) -> str:
    sentences, probabilities, hidden, V = given
    if sentences.numel() > 12:
        return f"sentences {tuple(sentences.shape)}, {int(hidden.sum())} of {len(hidden)} places hidden, V = {V}"
    return f"sentences {sentences.tolist()}, probabilities {expect.numbers(probabilities)}, hidden {hidden.tolist()}, V = {V}"


def _results(value: Any, given: Language) -> tuple[Tensor, float]:
    P, L = pair(value, *WHAT)
    P = expect.component(P, "P")
    expect.shape(P, (*given[0].shape, given[3]), "P", "(K, N, V)", _setting(given))
    return P, scalar(L, "L", _setting(given))


def _languages(draw: Draw) -> list[Language]:
    sizes = ((2, 1, 1), (3, 2, 1), (4, 2, 1), (4, 3, 1), (5, 3, 2), (6, 3, 3), (9, 4, 2), (12, 5, 3), (1, 3, 2))
    return [_language(draw, *size) for size in sizes for _ in range(2)]


@exercise(NAME)
@points(4)
def check_what_can_be_known(student: Student, draw: Draw) -> None:
    """P[k, n] is the probability of every word at place n, given what is seen of sentence k; 1 for a word that is seen"""
    for given in _languages(draw):
        P, _ = _results(student.exact_limit(*given), given)
        expect.allclose(P, references.exact_limit(*given)[0], "P", setting=_setting(given))


@exercise(NAME)
@points(4)
def check_limit(student: Student, draw: Draw) -> None:
    """L is the mean of −log P of the right words, over the hidden places, each sentence as often as it comes"""
    for given in _languages(draw):
        _, L = _results(student.exact_limit(*given), given)
        close_numbers({"L": L}, {"L": float(references.exact_limit(*given)[1])}, "L is wrong.", _setting(given))


@exercise(NAME)
@points(2)
@promises
def check_dtypes_and_arguments(student: Student, draw: Draw) -> None:
    """P has the dtype of the probabilities, and the arguments are not changed"""
    for dtype in (torch.float32, torch.float64):
        given = _language(draw, 6, 3, 2, dtype)
        answer = student.answer(Request(NAME, given))
        P, _ = _results(answer.value, given)
        expect.dtype(P, dtype, "P")
        expect.allclose(P, references.exact_limit(*given)[0], "P", setting=_setting(given))
