"""speculative_accept(p, q, drafted, u_accept, u_fix): judged by adding up all cases, without chance.

All probabilities are multiples of 1/8. So every way to draw with a uniform number is exact on a grid: with one point in the
middle of each cell, the share of the points at which something happens is its probability.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, inputs, no_return, points, promises

NAME = "speculative_accept"
EIGHTHS = 8

#: Pairs (p, q) in eighths: the draft is right, never right, misses a token, likes one that is impossible, is far too sure.
PAIRS = {
    "a draft that agrees in part": ((4, 2, 1, 1), (1, 2, 2, 3)),
    "a draft that gives no mass to a token": ((2, 3, 1, 2), (0, 4, 3, 1)),
    "a draft with a token that is impossible": ((0, 5, 3, 0), (3, 1, 2, 2)),
    "a draft that is always wrong": ((3, 5, 0, 0), (0, 0, 6, 2)),
    "a draft that is sure of one token": ((1, 2, 2, 3), (0, 8, 0, 0)),
    "a draft that is right": ((1, 4, 0, 3), (1, 4, 0, 3)),
}

#: (p and q in eighths, drafted, u_accept, u_fix, the token): comparisons of equal numbers, all of them exact in binary.
BORDERS = (
    ((2, 6, 0, 0), (4, 0, 4, 0), 0, 0.5, 0.0, 1),
    ((2, 6, 0, 0), (4, 0, 4, 0), 2, 0.0, 0.0, 1),
    ((0, 0, 3, 5), (6, 2, 0, 0), 1, 0.25, 0.0, 2),
    ((0, 0, 3, 5), (6, 2, 0, 0), 1, 0.25, 0.375, 3),
)


def _middles(cells: int) -> list[float]:
    return [(cell + 0.5) / cells for cell in range(cells)]


def _call(student: Student, p: Tensor, q: Tensor, drafted: int, u_accept: float, u_fix: float) -> tuple[int, bool]:
    """Return the token and whether it was accepted, or fail."""
    value: Any = student.speculative_accept(p, q, drafted, u_accept, u_fix)
    setting = f"p = {p.tolist()}, q = {q.tolist()}, drafted {drafted}, u_accept = {u_accept:.4g}, u_fix = {u_fix:.4g}"
    if value is None:
        raise no_return()
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise CheckFailure(
            "type",
            "Two results are expected, (token, accepted).",
            setting=setting,
            yours=expect.kind(value),
            received=expect.kind(value),
            cause="wrong number of results",
        )
    token, accepted = (part.item() if isinstance(part, Tensor) and part.numel() == 1 else part for part in value)
    if not inputs.is_integral(token) or not isinstance(accepted, bool):
        yours = f"a {type(token).__name__} and a {type(accepted).__name__}"
        raise CheckFailure(
            "type", "token should be an int and accepted a bool.", setting=setting, yours=yours, received=yours
        )
    if not 0 <= token < len(p):
        raise CheckFailure(
            "value",
            "The token does not exist.",
            setting=setting,
            expected=f"0 to {len(p) - 1}",
            yours=str(token),
            received=str(token),
            cause="a token that does not exist",
            hint="Look at the last of the cumulative sums: is it 1?",
        )
    return int(token), accepted


def _cases(p: Tensor, q: Tensor) -> Iterator[tuple[int, float, float, float]]:
    """Yield (drafted, u_accept, u_fix, probability): all cells of the grid, whose probabilities sum to 1."""
    rest = int((EIGHTHS * (p - q).clamp(min=0)).sum()) or 1
    for drafted, share in enumerate(q.tolist()):
        cells = round(EIGHTHS * share)
        for u_accept in _middles(cells):
            for u_fix in _middles(rest):
                yield drafted, u_accept, u_fix, share / (cells * rest)


def _all(student: Student, p: Tensor, q: Tensor) -> tuple[Tensor, float]:
    """Return the exact distribution of the drafted token and the one that comes out, and the probability of an acceptance."""
    tokens, accepted = torch.zeros(len(p), len(p), dtype=p.dtype), 0.0
    for drafted, u_accept, u_fix, probability in _cases(p, q):
        token, kept = _call(student, p, q, drafted, u_accept, u_fix)
        tokens[drafted, token] += probability
        accepted += probability * kept
    return tokens, accepted


def _pair(name: str, draw: Draw) -> tuple[Tensor, Tensor]:
    """Return p and q with the tokens in a drawn order."""
    order = draw.permutation(4)
    p, q = (torch.tensor(eighths, dtype=torch.float64)[order] / EIGHTHS for eighths in PAIRS[name])
    return p, q


@exercise(NAME)
@points(4)
def check_distribution(student: Student, draw: Draw) -> None:
    """Whatever the draft, the token that comes out has exactly the target's distribution: all cases, added up"""
    for name in PAIRS:
        p, q = _pair(name, draw)
        tokens, _ = _all(student, p, q)
        setting = f"{name}: p = {p.tolist()}, q = {q.tolist()}"
        expect.allclose(tokens.sum(0), p, "The distribution of the token", setting=setting)
        # Who counts what has come out so far can have this distribution too, and draws nothing.
        more = torch.minimum(p, q)
        left = (p - more) / (p - more).sum().clamp(min=1 / EIGHTHS)
        expect.allclose(
            tokens, more.diag() + torch.outer(q - more, left), "The distribution of (drafted, token)", setting=setting
        )


@exercise(NAME)
@points(3)
def check_acceptance(student: Student, draw: Draw) -> None:
    """The drafted token is accepted with probability min(1, p / q), no more rarely: Σ min(p, q) over all cases"""
    for name in PAIRS:
        p, q = _pair(name, draw)
        _, accepted = _all(student, p, q)
        setting = f"{name}: p = {p.tolist()}, q = {q.tolist()}"
        got, want = (torch.tensor([x], dtype=torch.float64) for x in (accepted, float(torch.minimum(p, q).sum())))
        expect.allclose(got, want, "The probability of an acceptance", setting=setting)


@exercise(NAME)
@points(1)
def check_accepted_is_the_drafted(student: Student) -> None:
    """An accepted token is the drafted one, and in its place comes one of which the draft had too little, at equal numbers too"""
    # In the order in which they stand: what a residual of sum 0 gives depends on the order.
    for pair in PAIRS.values():
        p, q = (torch.tensor(eighths, dtype=torch.float64) / EIGHTHS for eighths in pair)
        for drafted, u_accept, u_fix, _ in _cases(p, q):
            token, accepted = _call(student, p, q, drafted, u_accept, u_fix)
            setting = (
                f"p = {p.tolist()}, q = {q.tolist()}, drafted {drafted}, u_accept = {u_accept:.4g}, u_fix = {u_fix:.4g}"
            )
            if accepted != (u_accept * q[drafted].item() < p[drafted].item()) or (accepted and token != drafted):
                raise CheckFailure(
                    "value",
                    "Accepted and drafted do not go together.",
                    setting=setting,
                    expected=f"token {drafted} accepted" if u_accept * q[drafted] < p[drafted] else "not accepted",
                    yours=f"token {token}, {'accepted' if accepted else 'not accepted'}",
                    received=f"{token} {accepted}",
                )
            if not accepted and not p[token] > q[token]:
                raise CheckFailure(
                    "value",
                    "The drafted token is replaced by one that the draft had enough of.",
                    setting=setting,
                    expected="a token with p > q",
                    yours=f"token {token}, with p = {p[token]:.4g} and q = {q[token]:.4g}",
                    received=f"token {token}",
                )
    for p_eighths, q_eighths, drafted, u_accept, u_fix, wanted in BORDERS:
        p, q = (torch.tensor(eighths, dtype=torch.float64) / EIGHTHS for eighths in (p_eighths, q_eighths))
        token, accepted = _call(student, p, q, drafted, u_accept, u_fix)
        if accepted or token != wanted:
            raise CheckFailure(
                "value",
                "A comparison of equal numbers goes the wrong way.",
                setting=f"p = {p.tolist()}, q = {q.tolist()}, drafted {drafted}, u_accept = {u_accept:g}, u_fix = {u_fix:g}",
                expected=f"token {wanted}, not accepted",
                yours=f"token {token}, {'accepted' if accepted else 'not accepted'}",
                received=f"{token} {accepted}",
            )


@exercise(NAME)
@points(1)
@promises
def check_long_vocabularies_and_float32(student: Student, draw: Draw) -> None:
    """A large vocabulary in float32 works as well: the token is one of which the draft had too little; p and q are not changed"""
    for dtype in (torch.float32, torch.float64):
        p, q = (torch.softmax(draw.normal(1009, scale=2.0, dtype=dtype), 0) for _ in range(2))
        over = int((q / p).argmax())
        for u_fix in (0.0, 0.25, 0.5, 0.9):
            token, accepted = _call(student, p, q, over, 0.999, u_fix)
            left = (p.double() - q.double()).clamp(min=0)
            cumulative = torch.cumsum(left / left.sum(), 0)
            low, high = float(cumulative[token] - left[token] / left.sum()), float(cumulative[token])
            if accepted or not low - 1e-4 <= u_fix <= high + 1e-4:
                raise CheckFailure(
                    "value",
                    "The token is not the one that u_fix draws.",
                    setting=f"1009 tokens, {dtype}, u_fix = {u_fix}",
                    expected="the first token whose cumulative sum is above u_fix",
                    yours=f"token {token}, whose piece is from {low:.4f} to {high:.4f}",
                    received=f"{low:.3f}",
                )
