"""Symptoms in wrong attention weights and in the error messages of ``course_lib.layers``, for every lesson."""

import re
from collections.abc import Callable

from torch import Tensor

from autograder.diagnosis.symptoms import Symptom, first_symptom, from_error_message, same
from autograder.runtime.errors import CheckFailure

_ERRORS = [
    (
        "'bool' object has no attribute '",
        "a flag passed as the mask",
        "True or False has been passed where a mask is expected. Name the argument: need_weights=..., causal=...",
    ),
    (
        "Expected allowed to broadcast",
        "mask of the wrong shape",
        "A mask has a row for every query and a column for every key (its last two axes). Is it made for these two?",
    ),
    (
        "Expected allowed to be a bool",
        "mask is not boolean",
        "A mask is a bool tensor, True where a query may attend to a key.",
    ),
    (
        "Expected one value for each key",
        "shapes do not fit",
        "Keys and values come in pairs: both must have N_K rows.",
    ),
]

#: How a failure shows attention weights: "A[0, 1] = [ 0.5, 0.5 ]". A sentence such as "a loss of 2" shows none.
_OF_WEIGHTS = re.compile(r"(A|a\b)[^=]* = ")


def symptom(failure: CheckFailure, want: Tensor | None) -> Symptom | None:
    """Return (cause, hint) for a failure of attention weights, or None."""
    got = failure.received
    if failure.kind == "crash":
        return from_error_message(str(got), _ERRORS)
    weights = _OF_WEIGHTS.match(failure.yours)
    if failure.kind != "value" or not weights or not isinstance(got, Tensor) or want is None or got.shape != want.shape:
        return None
    return first_symptom(_LOOKS, got, want)


def _negative(got: Tensor, want: Tensor) -> Symptom | None:
    return ("negative weights", "Weights are never negative. Was the softmax applied?") if (got < -1e-9).any() else None


def _one_hot_rows(want: Tensor) -> bool:
    """Return whether all weights are 0 or 1: then a 0 is no sign of a mask."""
    return bool(((want == 0) | (want == 1)).all())


def _leak(got: Tensor, want: Tensor) -> Symptom | None:
    if not _one_hot_rows(want) and ((want == 0) & (got.abs() > 1e-9)).any():
        return "a hidden key gets weight", "A key that may not be attended to has a weight other than 0."
    return None


def _hidden(got: Tensor, want: Tensor) -> Symptom | None:
    # Without a mask it is another mistake.
    if not _one_hot_rows(want) and (want == 0).any() and ((want > 1e-6) & (got.abs() < 1e-12)).any():
        return "an allowed key gets no weight", "A key that may be attended to has weight 0. True means: may attend."
    return None


def _wrong_axis(got: Tensor, want: Tensor) -> Symptom | None:
    ones = got.new_ones(())
    if (
        got.dim() < 2
        or min(got.shape[-2:]) < 3
        or same(got.sum(-1), want.sum(-1))
        or same(want.sum(-2), ones.expand(want.sum(-2).shape))
    ):
        return None
    if same(got.sum(-2), ones.expand(got.sum(-2).shape)):
        return "softmax over the queries", (
            "Your columns sum to 1 and your rows do not: the softmax runs over the queries. Each query shares weight among keys."
        )
    if abs(got.sum().item() - 1) < 1e-4 and want.sum().item() > 1.5 and bool((got.sum(-1) > 1e-6).all()):
        return (
            "softmax over everything",
            "All your weights together sum to 1. Each query's weights should, on their own.",
        )
    return None


def _sums(got: Tensor, want: Tensor) -> Symptom | None:
    sums = want.sum(-1)
    # Weights along another axis need not sum to 1 here.
    of_queries = bool(((sums - 1).abs() < 1e-4).logical_or(sums == 0).all())
    if not of_queries or same(got.sum(-1), sums):
        return None
    return "weights do not sum to 1", "The weights of a query should sum to 1 over the keys that it may attend to."


def _uniform(got: Tensor, want: Tensor) -> Symptom | None:
    if not same(got, got[..., :1].expand_as(got)):
        return None
    if same(got, got.new_ones(()).expand_as(got)):
        return "every weight is 1", (
            "Every weight is 1, as when the softmax runs over an axis of length 1. Print the shape of what goes into it."
        )
    if same(got.sum(-1), want.sum(-1)):
        return "uniform weights", (
            "Every key gets the same weight here. Either the query plays no part, or all scores have become equal: look for a "
            "limit on large ones, too."
        )
    return None


def _one_hot(got: Tensor, want: Tensor) -> Symptom | None:
    if not _one_hot_rows(want) and same(got.max(-1).values, got.new_ones(()).expand(got.shape[:-1])):
        return "all weight on one key", "Each query puts its whole weight on one key. Softmax is not argmax."
    return None


_LOOKS: list[Callable[[Tensor, Tensor], Symptom | None]] = [
    _negative,
    _wrong_axis,
    _leak,
    _hidden,
    _uniform,
    _one_hot,
    _sums,
]
