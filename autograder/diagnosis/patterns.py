"""Numeric patterns between wrong and right results: shifted along an axis, transformed, wrong in one place."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

#: A cause and a hint.
Symptom = tuple[str, str]
Look = Callable[[Tensor, Tensor], Symptom | None]


def same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)


def is_informative(expected: Tensor) -> bool:
    """Return whether there are enough different numbers to make a coincidental pattern unlikely."""
    return bool(expected.isfinite().all()) and len(expected.unique()) >= 4


def shifted_axis(actual: Tensor, expected: Tensor) -> Symptom | None:
    """Detect rows of the right result in another order."""
    for axis in range(expected.dim()):
        if expected.shape[axis] < 4 or expected.numel() < 8:
            continue  # too few rows: any mistake looks like an order
        where = "the first axis" if axis == 0 else "the last axis" if axis == expected.dim() - 1 else f"axis {axis}"
        if same(actual, expected.flip(axis)):
            return "in reverse order", f"Your result is the expected one, backwards along {where}."
        for step in (1, -1):
            overlap = slice(1, None) if step == 1 else slice(None, -1)
            shifted = expected.roll(step, axis)
            if same(_cut(actual, axis, overlap), _cut(shifted, axis, overlap)):
                side = "late" if step == 1 else "early"
                return (
                    f"one place too {side}",
                    f"Along {where} your numbers are the expected ones, shifted by one place: an off-by-one in a range, "
                    "a slice or a position.",
                )
    return None


def _cut(x: Tensor, axis: int, overlap: slice) -> Tensor:
    return x[(slice(None),) * axis + (overlap,)]


def _softmaxes(expected: Tensor) -> Iterator[tuple[str, Tensor]]:
    for axis in range(expected.dim()):
        yield f"a softmax over axis {axis}", expected.softmax(axis)
        yield f"the logarithm of a softmax over axis {axis}", expected.log_softmax(axis)


_FUNCTIONS: Sequence[tuple[str, Callable[[Tensor], Tensor]]] = (
    ("exp", torch.exp),
    ("the logarithm", torch.log),
    ("the square root", torch.sqrt),
    ("the square", torch.square),
    ("1 divided by it", torch.reciprocal),
    ("the absolute value", torch.abs),
    ("ReLU", torch.relu),
    ("GELU", torch.nn.functional.gelu),
    ("the sigmoid", torch.sigmoid),
    ("tanh", torch.tanh),
    ("1 minus it", lambda x: 1 - x),
    ("rounding", torch.round),
)


def extra_function(actual: Tensor, expected: Tensor) -> Symptom | None:
    """Detect the right result with one additional function applied to it."""
    if same(actual, expected):
        return None  # equal but for rounding: the absolute value of positive numbers is no additional step
    for name, function in _FUNCTIONS:
        if same(actual, function(expected)):
            return (
                f"{name} of the right result",
                f"Your numbers are {name} of the expected ones: one step too many, or one missing.",
            )
    for name, value in _softmaxes(expected):
        if expected.shape != () and min(expected.shape) > 1 and same(actual, value):
            return f"{name} of the right result", f"Your numbers are {name} of the expected ones: one softmax too many."
    if expected.dim() and expected.shape[-1] > 2 and same(actual, _normalised(expected)):
        return (
            "normalised once too often",
            "Your rows are the expected ones with mean 0 and variance 1: one normalisation too many.",
        )
    return None


def _normalised(x: Tensor) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()


def shifted(actual: Tensor, expected: Tensor) -> Symptom | None:
    """Detect the right result plus the same number or row everywhere."""
    difference = actual - expected
    if not float(difference.abs().max()) > 1e-5:  # only rounding
        return None
    if same(difference, difference.flatten()[:1].expand_as(difference)):
        number = difference.flatten()[0].item()
        return "the same number added everywhere", f"Every entry is the expected one plus {number:.4g}."
    if (
        expected.dim() >= 2
        and min(expected.shape[-2:]) > 2
        and same(difference, difference[..., :1, :].expand_as(difference))
    ):
        return (
            "the same vector added to every row",
            "Every row differs from the expected one by the same vector: a bias too many or missing?",
        )
    return None


def from_inputs(actual: Tensor, expected: Tensor, inputs: Sequence[Tensor]) -> Symptom | None:
    """Detect the right result plus, minus or times an input."""
    for input_tensor in inputs:
        if (
            input_tensor.shape != expected.shape
            or not input_tensor.is_floating_point()
            or not is_informative(input_tensor)
        ):
            continue
        x = input_tensor.detach().double()
        if same(actual, x):
            return (
                "the input, as it came",
                "Your result is the input itself. Is what you compute returned, or does it cancel?",
            )
        if same(actual, expected - x):
            return (
                "the input is not added",
                "Your numbers are the expected ones minus the input: the residual connection is missing.",
            )
        if same(actual, expected + x):
            return (
                "the input is added once too often",
                "Your numbers are the expected ones plus the input: one residual connection too many.",
            )
        if same(actual, expected * x):
            return "multiplied by the input", "Your numbers are the expected ones times the input."
    return None


def places(actual: Tensor, expected: Tensor) -> Symptom | None:
    """Detect a result that is right everywhere except in one place."""
    wrong = ~torch.isclose(actual, expected, rtol=1e-4, atol=1e-6, equal_nan=True)
    if expected.dim() < 2 or wrong.all() or not wrong.any():
        return None  # a single row may hold results of several kinds
    for axis in range(expected.dim()):
        length = expected.shape[axis]
        if length < 3:
            continue
        rows = wrong.transpose(0, axis).flatten(1).any(1)
        plural = (
            "batch elements" if axis == 0 and expected.dim() > 2 else "rows" if axis == expected.dim() - 2 else "places"
        )
        where = f"along axis {axis}"
        bad = rows.nonzero().flatten().tolist()
        if bad == [0]:
            return (
                f"only the first of the {plural} is wrong",
                f"The first of the {length} {plural} {where} is wrong and the others are right.",
            )
        if bad == [length - 1]:
            return (
                f"only the last of the {plural} is wrong",
                f"The last of the {length} {plural} {where} is wrong and the others are right.",
            )
    return None


def permuted(actual: Tensor, expected: Tensor) -> Symptom | None:
    """Detect the right numbers in wrong places."""
    if expected.numel() < 8 or len(expected.unique()) < expected.numel() // 2 or same(actual, expected):
        return None  # a few different numbers fit many orders
    if not same(actual.flatten().sort().values, expected.flatten().sort().values):
        return None
    return (
        "the right numbers in other places",
        "Your result holds every expected number, but not where it belongs. Look for a reshape or a view that should be a "
        "transposition, for axes in the wrong order, and for the order of what is joined. Write the shape beside each line.",
    )


LOOKS: Sequence[Look] = (shifted_axis, extra_function, shifted, places, permuted)
