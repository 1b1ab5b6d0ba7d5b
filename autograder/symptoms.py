"""What can be read off a wrong result alone, when no known misconception gives the same one."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.failure import CheckFailure

Symptom = tuple[str, str]


def symptom(failure: CheckFailure, want: Tensor | None) -> Symptom | None:
    """Return (cause, hint) for a failure whose wrong result tells something, or None."""
    if failure.kind == "crash":
        return _of_error(str(failure.received))
    got = failure.received
    if failure.kind != "value" or not isinstance(got, Tensor) or want is None or got.shape != want.shape:
        return None
    weights = failure.yours.startswith("A") or failure.yours.startswith("a ")
    for look in [*_GENERAL, *(_WEIGHTS if weights else ())]:
        found = look(got, want)
        if found:
            return found
    return None


def _of_error(text: str) -> Symptom | None:
    for fragment, cause, hint in _ERRORS:
        if fragment in text:
            return cause, hint
    return None


_ERRORS = [
    (
        "view size is not compatible",
        "view of a non-contiguous tensor",
        "The input is a transposed or sliced tensor, whose memory .view cannot reinterpret. Use .reshape.",
    ),
    (
        "'NoneType' object",
        "None not handled",
        "An optional argument was left out and is None here. Treat that case first.",
    ),
    ("must be a scalar", "wrong number of dimensions", "Look at the number of dimensions of what you multiply."),
    (
        "must have same dtype",
        "dtype not kept",
        "Two tensors of different dtypes meet. Make new tensors in the dtype of the inputs.",
    ),
    (
        "but found",
        "dtype not kept",
        "Two tensors of different dtypes meet. Make new tensors in the dtype of the inputs.",
    ),
    (
        "expected scalar type",
        "dtype not kept",
        "Two tensors of different dtypes meet. Make new tensors in the dtype of the inputs.",
    ),
    (
        "overflow",
        "number too large for the dtype",
        "The number that fills the mask does not exist in this dtype. −inf does.",
    ),
    (
        "a leaf Variable that requires grad",
        "input changed in place",
        "An operation in place writes into an input. Make a new tensor instead.",
    ),
    (
        "modified by an inplace operation",
        "changed in place",
        "A tensor that the gradient needs was overwritten by an operation in place.",
    ),
    ("does not require grad", "no gradient", "The result has lost its history on the way."),
    (
        "unexpected keyword argument",
        "wrong signature",
        "Keep the names of the arguments as they stand in the exercise.",
    ),
    ("positional argument", "wrong signature", "Keep the arguments as they stand in the exercise."),
    (
        "Boolean value of Tensor",
        "a tensor used as True or False",
        "Compare with None (`is None`), or work on the whole tensor.",
    ),
    (
        "too many values to unpack",
        "fixed number of dimensions",
        "The inputs may have any number of leading dimensions. Index the last two dimensions from the end: shape[-1], shape[-2].",
    ),
    (
        "not enough values to unpack",
        "fixed number of dimensions",
        "The inputs may have any number of leading dimensions. Index the last two dimensions from the end: shape[-1], shape[-2].",
    ),
    (
        "Dimension out of range",
        "fixed number of dimensions",
        "Count dimensions from the end (dim=-1), so that inputs with fewer leading dimensions work too.",
    ),
    (
        "batch1 must be a 3D tensor",
        "fixed number of dimensions",
        "torch.bmm takes exactly three dimensions; @ takes any number.",
    ),
    ("expected 3D", "fixed number of dimensions", "This operation takes exactly three dimensions; @ takes any number."),
    (
        "dims specified in permute",
        "fixed number of dimensions",
        "Swap the last two dimensions with .transpose(-2, -1), whatever stands before them.",
    ),
    (
        "'bool' object has no attribute 'dtype'",
        "a flag passed as the mask",
        "True or False has been passed where a mask is expected. Name the argument: need_weights=..., causal=...",
    ),
    # The next three are said by course_lib.layers.
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
    (
        "mat1 and mat2 shapes cannot be multiplied",
        "shapes do not fit",
        "Write the shape beside each factor: the inner two must agree.",
    ),
    (
        "Expected size for first two dimensions",
        "shapes do not fit",
        "Write the shape beside each factor: the inner two must agree.",
    ),
    (
        "must match the size of tensor",
        "shapes do not fit",
        "Two dimensions that need not be equal are taken for one another: numbers of queries and keys, or widths.",
    ),
    (
        "must match the existing size",
        "shapes do not fit",
        "A tensor is expanded to a shape that it does not have. Write the shape beside each line.",
    ),
    (
        "is invalid for input of size",
        "shapes do not fit",
        "A tensor is reshaped to a shape that it does not have. Write the shape beside each line.",
    ),
    (
        "out of bounds",
        "index out of range",
        "An index runs over the wrong dimension. The numbers of queries and of keys differ here.",
    ),
    ("no grad accessor", "no gradient", "The result has lost its history on the way."),
]


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)


def _not_a_number(got: Tensor, want: Tensor) -> Symptom | None:
    if not got.isnan().any():
        return None
    if got.isnan().all(-1).any() and (want == 0).all(-1).any():
        return "not a number where nothing may be attended to", (
            "A row in which every similarity is −inf becomes 0/0. Decide what such a row should hold, and write it."
        )
    return "not a number", "Look for exp of a large number (inf / inf), for 0 · inf, and for −inf minus −inf."


def _all_zero(got: Tensor, want: Tensor) -> Symptom | None:
    return ("all zeros", "Every entry of the result is 0.") if not got.any() else None


def _transposed(got: Tensor, want: Tensor) -> Symptom | None:
    if got.dim() >= 2 and _same(got, want.transpose(-2, -1)):
        return "transposed", "Your result is the expected one with its last two dimensions swapped."
    return None


def _multiple(got: Tensor, want: Tensor) -> Symptom | None:
    used = want.abs() > 1e-9
    if not used.any() or bool((got[~used].abs() > 1e-9).any()):
        return None
    ratio = got[used] / want[used]
    if _same(ratio, ratio[:1].expand_as(ratio)):
        return "off by a constant factor", f"Every entry is {ratio[0].item():.4g} times what it should be."
    return None


def _batch(got: Tensor, want: Tensor) -> Symptom | None:
    if got.dim() >= 3 and got.shape[0] > 1 and _same(got[0], want[0]):
        return "only the first of the batch is right", (
            "The first element of the batch is right and the others are not. Each has to be treated for itself."
        )
    return None


_GENERAL: list[Callable[[Tensor, Tensor], Symptom | None]] = [_not_a_number, _all_zero, _transposed, _multiple, _batch]


def _negative(got: Tensor, want: Tensor) -> Symptom | None:
    return ("negative weights", "Weights are never negative. Did the softmax happen?") if (got < -1e-9).any() else None


def _leak(got: Tensor, want: Tensor) -> Symptom | None:
    if ((want == 0) & (got.abs() > 1e-9)).any():
        return "a hidden key gets weight", "A key that may not be attended to has a weight other than 0."
    return None


def _hidden(got: Tensor, want: Tensor) -> Symptom | None:
    if ((want > 1e-6) & (got.abs() < 1e-12)).any():
        return "an allowed key gets no weight", "A key that may be attended to has weight 0. True means: may attend."
    return None


def _wrong_axis(got: Tensor, want: Tensor) -> Symptom | None:
    ones = got.new_ones(())
    if got.dim() < 2 or min(got.shape[-2:]) < 3 or _same(got.sum(-1), want.sum(-1)):
        return None
    if _same(got.sum(-2), ones.expand(got.sum(-2).shape)):
        return "softmax over the queries", (
            "Your columns sum to 1 and your rows do not: the softmax runs over the queries. Each query shares weight among keys."
        )
    if abs(got.sum().item() - 1) < 1e-4 and want.sum().item() > 1.5:
        return (
            "softmax over everything",
            "All your weights together sum to 1. Each query's weights should, on their own.",
        )
    return None


def _sums(got: Tensor, want: Tensor) -> Symptom | None:
    sums = got.sum(-1)
    if _same(sums, want.sum(-1)):
        return None
    return "weights do not sum to 1", "The weights of a query should sum to 1 over the keys that it may attend to."


def _uniform(got: Tensor, want: Tensor) -> Symptom | None:
    if _same(got, got[..., :1].expand_as(got)):
        return "uniform weights", "Every key gets the same weight, whatever the query asks."
    return None


def _one_hot(got: Tensor, want: Tensor) -> Symptom | None:
    if _same(got.max(-1).values, got.new_ones(()).expand(got.shape[:-1])):
        return "all weight on one key", "Each query puts its whole weight on one key. Softmax is not argmax."
    return None


_WEIGHTS: list[Callable[[Tensor, Tensor], Symptom | None]] = [
    _negative,
    _wrong_axis,
    _leak,
    _hidden,
    _uniform,
    _one_hot,
    _sums,
]
