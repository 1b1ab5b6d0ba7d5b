"""Numeric patterns between wrong and right results: shifted along an axis, transformed, wrong in one place."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

Symptom = tuple[str, str]
Look = Callable[[Tensor, Tensor], Symptom | None]


def same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)


def is_informative(want: Tensor) -> bool:
    """Return whether there are enough different numbers to make a coincidental pattern unlikely."""
    return bool(want.isfinite().all()) and len(want.unique()) >= 4


def shifted_axis(got: Tensor, want: Tensor) -> Symptom | None:
    """Detect rows of the right result in another order."""
    for axis in range(want.dim()):
        if want.shape[axis] < 4 or want.numel() < 8:
            continue  # too few rows: any mistake looks like an order
        where = "the first axis" if axis == 0 else "the last axis" if axis == want.dim() - 1 else f"axis {axis}"
        if same(got, want.flip(axis)):
            return "in reverse order", f"Your result is the expected one, backwards along {where}."
        for step in (1, -1):
            overlap = slice(1, None) if step == 1 else slice(None, -1)
            shifted = want.roll(step, axis)
            if same(_cut(got, axis, overlap), _cut(shifted, axis, overlap)):
                side = "late" if step == 1 else "early"
                return (
                    f"one place too {side}",
                    f"Along {where} your numbers are the expected ones, shifted by one place: an off-by-one in a range, "
                    "a slice or a position.",
                )
    return None


def _cut(x: Tensor, axis: int, part: slice) -> Tensor:
    return x[(slice(None),) * axis + (part,)]


def _softmaxes(want: Tensor) -> Iterator[tuple[str, Tensor]]:
    for axis in range(want.dim()):
        yield f"a softmax over axis {axis}", want.softmax(axis)
        yield f"the logarithm of a softmax over axis {axis}", want.log_softmax(axis)


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


def extra_function(got: Tensor, want: Tensor) -> Symptom | None:
    """Detect the right result with one additional function applied to it."""
    if same(got, want):
        return None  # equal but for rounding: the absolute value of positive numbers is no additional step
    for name, function in _FUNCTIONS:
        if same(got, function(want)):
            return (
                f"{name} of the right result",
                f"Your numbers are {name} of the expected ones: one step too many, or one missing.",
            )
    for name, value in _softmaxes(want):
        if want.shape != () and min(want.shape) > 1 and same(got, value):
            return f"{name} of the right result", f"Your numbers are {name} of the expected ones: one softmax too many."
    if want.dim() and want.shape[-1] > 2 and same(got, _normalised(want)):
        return (
            "normalised once too often",
            "Your rows are the expected ones with mean 0 and variance 1: one normalisation too many.",
        )
    return None


def _normalised(x: Tensor) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()


def shifted(got: Tensor, want: Tensor) -> Symptom | None:
    """Detect the right result plus the same number or row everywhere."""
    difference = got - want
    if not float(difference.abs().max()) > 1e-5:  # only rounding
        return None
    if same(difference, difference.flatten()[:1].expand_as(difference)):
        number = difference.flatten()[0].item()
        return "the same number added everywhere", f"Every entry is the expected one plus {number:.4g}."
    if want.dim() >= 2 and min(want.shape[-2:]) > 2 and same(difference, difference[..., :1, :].expand_as(difference)):
        return (
            "the same vector added to every row",
            "Every row differs from the expected one by the same vector: a bias too many or missing?",
        )
    return None


def from_inputs(got: Tensor, want: Tensor, inputs: Sequence[Tensor]) -> Symptom | None:
    """Detect the right result plus, minus or times an input."""
    for input_tensor in inputs:
        if input_tensor.shape != want.shape or not input_tensor.is_floating_point() or not is_informative(input_tensor):
            continue
        x = input_tensor.detach().double()
        if same(got, x):
            return (
                "the input, as it came",
                "Your result is the input itself. Is what you compute returned, or does it cancel?",
            )
        if same(got, want - x):
            return (
                "the input is not added",
                "Your numbers are the expected ones minus the input: the residual connection is missing.",
            )
        if same(got, want + x):
            return (
                "the input is added once too often",
                "Your numbers are the expected ones plus the input: one residual connection too many.",
            )
        if same(got, want * x):
            return "multiplied by the input", "Your numbers are the expected ones times the input."
    return None


def places(got: Tensor, want: Tensor) -> Symptom | None:
    """Detect a result that is right everywhere except in one place."""
    wrong = ~torch.isclose(got, want, rtol=1e-4, atol=1e-6, equal_nan=True)
    if want.dim() < 2 or wrong.all() or not wrong.any():
        return None  # a single row may hold results of several kinds
    for axis in range(want.dim()):
        length = want.shape[axis]
        if length < 3:
            continue
        rows = wrong.transpose(0, axis).flatten(1).any(1) if want.dim() > 1 else wrong
        plural = "batch elements" if axis == 0 and want.dim() > 2 else "rows" if axis == want.dim() - 2 else "places"
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


def permuted(got: Tensor, want: Tensor) -> Symptom | None:
    """Detect the right numbers in wrong places."""
    if want.numel() < 8 or len(want.unique()) < want.numel() // 2 or same(got, want):
        return None  # a few different numbers fit many orders
    if not same(got.flatten().sort().values, want.flatten().sort().values):
        return None
    return (
        "the right numbers in other places",
        "Your result holds every expected number, but not where it belongs. Look for a reshape or a view that should be a "
        "transposition, for axes in the wrong order, and for the order of what is joined. Write the shape beside each line.",
    )


LOOKS: Sequence[Look] = (shifted_axis, extra_function, shifted, places, permuted)
