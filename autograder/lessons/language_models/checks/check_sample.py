"""sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None).

What is random is judged by counts (autograder.checks.dropout): some 500 comparisons, each of which refuses a right
answer with a probability of at most 10⁻⁹, so a right answer is refused less than once in a million gradings.
"""

import math

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    SeededGenerator,
    Student,
    exercise,
    expect,
    inputs,
    points,
    promises,
    raises_value_error,
    within_error_rate,
)
from autograder.lessons.language_models.references import next_probabilities

NAME = "sample"
#: Rows that are drawn from each distribution.
ROWS = 20_000
#: Probabilities far enough from each other, and from every border below, that only a mistake moves one across it.
DISTRIBUTIONS = (
    (0.7, 0.3),
    (0.5, 0.3, 0.2),
    (0.36, 0.26, 0.18, 0.12, 0.08),
    (0.30, 0.22, 0.16, 0.12, 0.09, 0.06, 0.05),
)


def _logits(draw: Draw, probabilities, dtype=torch.float64):
    """Return logits (V,) of these probabilities, the tokens in random order, shifted by any number: that changes nothing."""
    shuffled = torch.tensor(probabilities, dtype=torch.float64)[draw.permutation(len(probabilities))]
    return (shuffled.log() + float(draw.normal(1)[0])).to(dtype)


def _drawn(student: Student, draw: Draw, logits, setting, **options):
    """Return the student's ids for these rows, after looking at their type and shape."""
    ids = expect.tensor(
        student.sample(logits, **options, generator=SeededGenerator(int(draw.integers(2**40)))), "The result"
    )
    expect.shape(ids, logits.shape[:1], "The result", "(B,), one id for each row", setting)
    inputs.id_tensor(ids, "The result")
    if bool(((ids < 0) | (ids >= logits.shape[1])).any()):
        raise CheckFailure("value", "The result holds ids that do not exist.", setting=setting, received=ids.double())
    return ids


def _setting(P, options):
    named = ", ".join(f"{name} = {value}" for name, value in options.items())
    return f"probabilities {[round(p, 3) for p in P.tolist()]}" + (f", {named}" if named else "")


def _distributed(student: Student, draw: Draw, logits, rows=ROWS, **options):
    """Draw many times from one distribution, and compare the counts with the exact probabilities."""
    V = len(logits)
    [want] = next_probabilities(logits[None].double(), **options)
    setting = _setting(torch.softmax(logits.double(), 0), options)
    ids = _drawn(student, draw, logits.expand(rows, V).contiguous(), setting, **options)
    _compare(torch.bincount(ids, minlength=V), want, setting)


def _compare(counts, want, setting, message="The tokens are not drawn with the right probabilities."):
    rows = int(counts.sum())
    outside = (want == 0) & (counts > 0)
    if bool(outside.any()):
        message = "A token is drawn that should be left out."
    elif all(within_error_rate(int(count), rows, min(float(p), 1.0)) for count, p in zip(counts, want, strict=True)):
        return
    shares = counts / rows
    never = (want > 0.02) & (counts == 0)
    raise CheckFailure(
        "value",
        "A token that may be drawn never is." if bool(never.any()) and not bool(outside.any()) else message,
        setting=setting,
        expected=f"shares of {rows:,} draws near {[round(p, 3) for p in want.tolist()]}",
        yours=f"{[round(p, 3) for p in shares.tolist()]}",
        received=counts.double(),
        wanted=want.double() * rows,
    )


@exercise(NAME)
@points(1)
def check_ids_and_probabilities(student: Student, draw: Draw) -> None:
    """One id for each row (B,), drawn with the probabilities softmax(logits)"""
    for probabilities in DISTRIBUTIONS:
        for dtype in (torch.float64, torch.float32):
            _distributed(student, draw, _logits(draw, probabilities, dtype))
    for B in (1, 3):
        _drawn(student, draw, draw.normal(B, 5), f"B = {B}, V = 5")


@exercise(NAME)
@points(1)
def check_temperature(student: Student, draw: Draw) -> None:
    """The temperature divides the logits: below 1 what is probable becomes more so, above 1 less"""
    for probabilities in DISTRIBUTIONS:
        for temperature in (0.5, 2.0, 0.2):
            _distributed(student, draw, _logits(draw, probabilities), temperature=temperature)


@exercise(NAME)
@points(1)
def check_temperature_zero(student: Student, draw: Draw) -> None:
    """Temperature 0 is the most probable token, with any top-k and top-p; tiny temperatures of large logits work too"""
    logits = draw.normal(7, 11)
    for options in ({}, {"top_k": 3}, {"top_p": 0.5}, {"top_k": 2, "top_p": 0.9}):
        ids = _drawn(student, draw, logits, f"temperature = 0, {options}", temperature=0.0, **options)
        _same(ids, logits.argmax(1), f"temperature = 0, logits {tuple(logits.shape)}")
    for scale, temperature in ((1.0, 1e-3), (1e4, 1.0)):
        ids = _drawn(student, draw, scale * torch.eye(5).double(), "large logits", temperature=temperature)
        _same(ids, torch.arange(5), f"logits of {scale:g} and 0, temperature = {temperature:g}")


def _same(ids, want, setting):
    if not torch.equal(ids, want):
        raise CheckFailure(
            "value",
            "These are not the most probable tokens.",
            setting=setting,
            expected=f"{want.tolist()}",
            yours=f"{ids.tolist()}",
            received=ids.double(),
            wanted=want.double(),
        )


@exercise(NAME)
@points(3)
def check_top_k(student: Student, draw: Draw) -> None:
    """Top-k leaves the k most probable tokens, all of those that tie with the k-th, and all V if k is larger"""
    for probabilities in DISTRIBUTIONS:
        for k in (1, 2, len(probabilities), 100):
            _distributed(student, draw, _logits(draw, probabilities), top_k=k)
    for tied, k in (((0.4, 0.2, 0.2, 0.2), 2), ((0.25,) * 4, 1), ((0.3, 0.3, 0.2, 0.1, 0.1), 4)):
        _distributed(student, draw, _logits(draw, tied), top_k=k)


@exercise(NAME)
@points(2)
def check_top_p(student: Student, draw: Draw) -> None:
    """Top-p leaves the smallest number of most probable tokens that reach p together, and at least one"""
    for probabilities, p in (
        ((0.7, 0.3), 0.01),  # first: here the least probable token alone is no answer, nor are all of them
        ((0.7, 0.3), 0.6),
        ((0.7, 0.3), 0.8),
        ((0.5, 0.3, 0.2), 0.75),
        ((0.5, 0.3, 0.2), 0.9),
        ((0.36, 0.26, 0.18, 0.12, 0.08), 0.7),
        ((0.36, 0.26, 0.18, 0.12, 0.08), 1.0),
        ((0.30, 0.22, 0.16, 0.12, 0.09, 0.06, 0.05), 0.45),
        ((0.30, 0.22, 0.16, 0.12, 0.09, 0.06, 0.05), 0.97),
    ):
        _distributed(student, draw, _logits(draw, probabilities), top_p=p)


@exercise(NAME)
@points(1)
def check_all_together(student: Student, draw: Draw) -> None:
    """In this order, each on what is left: temperature, top-k, top-p"""
    for probabilities, options in (
        ((0.5, 0.3, 0.2), {"temperature": 0.5, "top_p": 0.7}),  # 0.66, 0.24, 0.11: two are left
        # 0.28, 0.24, 0.20, 0.16, 0.13: all are left, without the temperature four
        ((0.36, 0.26, 0.18, 0.12, 0.08), {"temperature": 2.0, "top_p": 0.9}),
        ((0.36, 0.26, 0.18, 0.12, 0.08), {"top_k": 3, "top_p": 0.7}),  # of 0.45, 0.33, 0.23 two are left
        ((0.30, 0.22, 0.16, 0.12, 0.09, 0.06, 0.05), {"temperature": 0.7, "top_k": 4, "top_p": 0.8}),
    ):
        _distributed(student, draw, _logits(draw, probabilities), **options)


@exercise(NAME)
@points(1)
def check_rows_are_separate(student: Student, draw: Draw) -> None:
    """Every row has a distribution of its own, and is drawn by itself"""
    both = torch.stack([_logits(draw, DISTRIBUTIONS[2]) for _ in range(2)])
    # Every logit of the second row is above all of the first, so no border of one row fits the other, whatever is drawn.
    both[1] = (both[0] - both[0].max()).roll(2) * 1.5 + both[0].max() + 3
    for options in ({}, {"top_k": 2}, {"top_p": 0.7}):
        setting = f"two kinds of rows, {options}"
        ids = _drawn(student, draw, both.repeat(ROWS, 1), setting, **options).view(ROWS, 2)
        for kind in (0, 1):
            [want] = next_probabilities(both[kind : kind + 1], **options)
            message = "Rows of different logits do not get the probabilities that each gets alone."
            _compare(torch.bincount(ids[:, kind], minlength=5), want, setting, message)
        [p], [q] = (next_probabilities(row[None], **options) for row in both)
        together, chance = int((ids[:, 0] == ids[:, 1]).sum()), float((p * q).sum())
        if not within_error_rate(together, ROWS, chance):
            raise CheckFailure(
                "value",
                "Neighbouring rows are not drawn independently.",
                setting=setting,
                expected=f"the same token in {chance:.1%} of the pairs",
                yours=f"in {together / ROWS:.1%}",
                received=torch.tensor(together / ROWS),
            )


@exercise(NAME)
@points(1)
@promises
def check_generator(student: Student, draw: Draw) -> None:
    """All randomness comes from the generator: the same state gives the same ids, the next call others. The logits are kept"""
    logits = draw.normal(101, 7)
    for options in ({}, {"temperature": 0.8, "top_k": 5, "top_p": 0.9}):
        seed = int(draw.integers(2**40))
        calls = [
            student.answer(Request(NAME, (logits,), {**options, "generator": SeededGenerator(s)}, times=times))
            for s, times in ((seed, 1), (seed, 1), (seed + 1, 1), (seed, 2))
        ]
        first, again, other, second = (expect.tensor(call.value, "The result") for call in calls)
        if not torch.equal(first, again):
            raise CheckFailure(
                "random",
                "The same state of the generator gives different ids.",
                received="random",
                cause="another source of randomness",
                hint="Pass the generator on to the function that draws. Without it, PyTorch takes its own.",
            )
        if torch.equal(first, other):
            raise CheckFailure(
                "constant",
                "Another state of the generator gives the same ids.",
                received="the same ids",
                cause="nothing is drawn",
                hint="At a temperature above 0 every token that is left may be drawn.",
            )
        if torch.equal(first, second):
            raise CheckFailure(
                "constant",
                "The next call with the same generator gives the same ids again.",
                received="the same ids again",
                cause="seeded anew in every call",
                hint="Draw from the generator as it comes, and seed nothing inside: each token of a text needs its own luck.",
            )
    ids = expect.tensor(student.sample(logits), "The result")  # without a generator, PyTorch's own
    expect.shape(ids, (101,), "The result", "(B,)", "no generator")


@exercise(NAME)
@points(1)
def check_refusals(student: Student, draw: Draw) -> None:
    """A temperature below 0, a k below 1 and a p outside of (0, 1] raise a ValueError"""
    logits = draw.normal(3, 5)
    for options in (
        {"temperature": -1.0},
        {"top_k": 0},
        {"top_k": -2},
        {"top_p": 0.0},
        {"top_p": 1.5},
        {"top_p": -math.pi},
    ):
        [[name, value]] = options.items()
        raises_value_error(
            f"{name} = {value}",
            "Look at the arguments first, and raise a ValueError that says what came.",
            lambda options=options: student.sample(logits, **options),
            sentence=True,
        )
    _distributed(student, draw, _logits(draw, DISTRIBUTIONS[1]), temperature=0.5, top_k=1, top_p=1.0)
