"""FeedForward(width, hidden_width, dropout=0.0, activation="relu")."""

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    independent_elements,
    no_side_effects,
    points,
    promises,
    raises_value_error,
    same_dropout_distribution,
    same_twice,
    share_is,
    uses_its_inputs,
)
from autograder.lessons.transformer_blocks import references

NAME = "FeedForward"
WIDTH, HIDDEN = 11, 17
WHAT = ("The result",)
_WHERE = "Dropout acts on the hidden numbers alone, after the activation and before W_2."


def _twins(student, draw, width=WIDTH, hidden=HIDDEN, more=(), dtype=torch.float64, weights=None):
    build = (width, hidden, *more)
    return ModulePair(student, NAME, build, references.FeedForward(*build), draw, dtype, weights)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_1 maps from width to hidden_width, W_2 back, both with a bias"""
    has_parameters(student, NAME, (WIDTH, HIDDEN), dict(references.FeedForward(WIDTH, HIDDEN).named_parameters()))
    X = draw.normal(sizes.N_X, WIDTH)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_2 of the activation of W_1, on every vector by itself, with any leading axes"""
    for width, hidden in [(2, 3), (WIDTH, HIDDEN), (7, 7)]:
        for lead in [(), (sizes.N_X,), (sizes.B, sizes.N_X), (2, 3, 5)]:
            _twins(student, draw, width, hidden).agree(draw.normal(*lead, width, scale=2.0), what=WHAT)
    twins = _twins(student, draw)
    twins.agree(draw.normal(sizes.B, WIDTH, sizes.N_X).mT, what=WHAT, setting="a transposed X, whose memory has gaps")
    X = draw.normal(sizes.B, sizes.N_X, WIDTH)
    uses_its_inputs(twins.module, (X,), (X.square(),))


@exercise(NAME)
@points(1)
def check_activation(student: Student, sizes: Sizes, draw: Draw) -> None:
    """activation="relu" and activation="gelu" (the exact one) are what they say; any other name raises an error"""
    for name in ("relu", "gelu"):
        twins = _twins(student, draw, more=(0.0, name))
        twins.agree(draw.normal(sizes.B, sizes.N_X, WIDTH, scale=2.0), what=WHAT, setting=f'activation="{name}"')
    X = draw.normal(sizes.N_X, WIDTH, dtype=torch.float32)
    for name in ("rleu", "sigmoid"):
        raises_value_error(
            f'activation="{name}"',
            "A mistyped name should not pass unnoticed. Raise a ValueError for everything but the two names.",
            student.build(NAME, WIDTH, HIDDEN, 0.0, name),
            X,
        )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to both layers with the right values"""
    twins = _twins(student, draw, more=(0.0, "gelu"))
    twins.gradients_agree(draw.normal(sizes.B, sizes.N_X, WIDTH), draw=draw, names=("X",))


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, dropout acts on the hidden numbers, after the activation; in eval mode it does nothing"""
    p, width, rows = 0.3, 20, 400
    one = torch.eye(width, dtype=torch.float64)
    # Not ReLU, after which a dropout is the same as before it.
    gelu = F.gelu(one.new_ones(())).item()
    weights = {"W_1.weight": torch.cat([one, one]), "W_2.weight": torch.cat([one, 10 * one], 1) / gelu}
    weights |= {"W_1.bias": one.new_zeros(2 * width), "W_2.bias": one.new_full((width,), 100.0)}
    twins = _twins(student, draw, width, 2 * width, (p, "gelu"), weights=weights)
    X = torch.ones(rows, width, dtype=torch.float64)
    twins.agree(X, what=WHAT, size=200.0, setting="eval mode")
    # Two hidden numbers, both the same, make each output: 100 + the first + 10 times the second. So both can be read off.
    Y = expect.tensor(twins.module.when(training=True)(X), "The result")
    expect.shape(Y, X.shape, "The result", "(…, width)", "training mode")
    details = {"setting": f"training mode, dropout={p}", "received": "dropout"}
    zero = _dropped(Y.double(), p, details)
    independent_elements(
        zero, "Several hidden numbers are dropped together.", "nn.Dropout decides for every hidden number.", details
    )
    hint = "`dropout` is the probability with which a number is set to 0."
    share_is(zero, p, "The share of numbers that are dropped is wrong.", hint, details)
    for activation in ("relu", "gelu"):
        setting = f'training mode, dropout={p}, activation="{activation}"'
        pair = _twins(student, draw, 5, 7, (p, activation))
        same_dropout_distribution(pair, draw.normal(1, 3, 5), what=WHAT, draw=draw, setting=setting, hint=_WHERE)


def _dropped(Y: Tensor, p: float, details: dict[str, str]) -> Tensor:
    """Return which hidden numbers were dropped, (2, rows, width), or fail if the outputs cannot be made of whole ones."""
    if torch.allclose(Y, torch.full_like(Y, 111)):
        raise CheckFailure(
            "dropout",
            "Nothing is dropped.",
            **details,
            cause="dropout missing",
            hint="Apply dropout between the activation and W_2.",
        )
    found = ((Y - 100) * (1 - p)).round(decimals=6)
    if not bool(torch.isin(found, torch.tensor([0.0, 1.0, 10.0, 11.0], dtype=torch.float64)).all()):
        raise CheckFailure(
            "dropout",
            "The hidden numbers are not dropped one by one.",
            **details,
            expected=f"each of them 0 or divided by {1 - p:.1f}",
            cause="dropout in the wrong place or without its factor",
            hint="nn.Dropout belongs between the activation and W_2, where it sets hidden numbers to 0 and divides the others "
            "by 1 − p. At the output it would drop whole numbers of Y together with the bias.",
        )
    return torch.stack([found.remainder(10) < 0.5, found < 9.5])


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without dropout the same input gives the same output, in float32 too, and the input is not changed"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, WIDTH, dtype=torch.float32)
    twins.agree(X, what=WHAT)
    expect.dtype(expect.tensor(twins.module(X), "The result"), torch.float32, "The result")
    same_twice(twins.module, X)
    no_side_effects(twins, [(2 * X,), (X[:1],)], X, what=WHAT)
