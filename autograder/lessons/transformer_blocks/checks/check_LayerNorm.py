"""LayerNorm(width, eps=1e-5)."""

import torch
import torch.nn.functional as F

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.transformer_blocks import references

NAME = "LayerNorm"
WIDTH = 11


def _twins(student, draw, width=WIDTH, more=(), dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, (width, *more), references.LayerNorm(width, *more), draw, dtype, weights)


def _compare(twins, X, eps=1e-5, size=4.0, setting=""):
    """Compare with PyTorch's own layer_norm."""
    got = expect.tensor(twins.module(X), "The result")
    w = {key: value.double() for key, value in twins.weights.items()}
    want = F.layer_norm(X.double(), X.shape[-1:], w["gamma"], w["beta"], eps)
    expect.shape(got, X.shape, "The result", "(…, width)", f"X {tuple(X.shape)}")
    expect.allclose(got, want, "The result", size=size, setting=setting or f"X {tuple(X.shape)}, {X.dtype}")


@exercise(NAME)
@points(1)
def check_parameters(student: Student, draw: Draw) -> None:
    """γ starts as ones and β as zeros, one number for each of the `width` columns"""
    has_parameters(student, NAME, (WIDTH,), dict(references.LayerNorm(WIDTH).named_parameters()))
    own = student.build(NAME, WIDTH).parameters()
    for name, value in (("gamma", 1.0), ("beta", 0.0)):
        start = next(tensor for key, tensor in own.items() if key == name or key.endswith(f".{name}"))
        if not bool((start == value).all()):
            raise CheckFailure(
                "value",
                f"{name} should start as {value:g} everywhere.",
                expected=f"{value:g}",
                yours=expect.numbers(start),
                received=start.detach(),
                wanted=torch.full((WIDTH,), value),
                cause="wrong start of γ or β",
                hint="A fresh layer should change nothing but the mean and the spread.",
            )
    X = draw.normal(3, WIDTH)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.roll(1, -1),))


@exercise(NAME)
@points(2)
def check_mean_and_spread(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With γ = 1 and β = 0 every vector of the result has mean 0 and standard deviation 1, with 1/D"""
    ones = {"gamma": torch.ones(2, dtype=torch.float64), "beta": torch.zeros(2, dtype=torch.float64)}
    # The smallest example: (1, 5) has mean 3 and standard deviation 2.
    _compare(_twins(student, draw, 2, weights=ones), torch.tensor([[1.0, 5.0]], dtype=torch.float64))
    ones = {"gamma": torch.ones(WIDTH, dtype=torch.float64), "beta": torch.zeros(WIDTH, dtype=torch.float64)}
    _compare(_twins(student, draw, weights=ones), 3 + draw.normal(sizes.B, sizes.N_X, WIDTH, scale=5.0))


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The values are those of nn.LayerNorm, over the last axis only, with any leading axes"""
    for shape in [
        (WIDTH,),
        (sizes.N_X, WIDTH),
        (sizes.B, sizes.N_X, WIDTH),
        (2, 3, 5, WIDTH),
        (WIDTH, WIDTH),
        (1, 1, WIDTH),
    ]:
        _compare(_twins(student, draw), 1 + draw.normal(*shape, scale=2.0))
    twins = _twins(student, draw)
    _compare(twins, draw.normal(sizes.B, WIDTH, sizes.N_X).mT, setting="a transposed X, whose memory has gaps")
    uses_its_inputs(twins.module, (draw.normal(3, WIDTH),), (draw.normal(3, WIDTH),))


@exercise(NAME)
@points(1)
def check_every_vector_by_itself(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A vector's result does not depend on the other vectors of the batch, not even in training mode"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_X, WIDTH)
    uses_its_inputs(twins.module, (X,), (X.roll(1, -1),))
    for training in (False, True):
        whole = expect.tensor(twins.module.when(training=training)(X), "The result")
        one = expect.tensor(twins.module.when(training=training)(X[:1, 2:3]), "The result")
        expect.shape(one, (1, 1, WIDTH), "The result", "(…, width)")
        expect.allclose(
            one, whole[:1, 2:3].double(), "The result", size=4.0, setting="one vector alone, and in its batch"
        )
    same_twice(twins.module, X)
    no_side_effects(twins, [(draw.normal(2, 3, WIDTH, scale=9.0),)], X, what=("The result",))


@exercise(NAME)
@points(1)
def check_epsilon(student: Student, draw: Draw) -> None:
    """ε stands under the root, beside the variance, and `eps` sets it: vectors of equal numbers do not divide by 0"""
    ones = {"gamma": torch.ones(3, dtype=torch.float64), "beta": torch.full((3,), 0.5, dtype=torch.float64)}
    for eps in (1e-5, 0.25):
        more = () if eps == 1e-5 else (eps,)
        twins = _twins(student, draw, 3, more, weights=ones)
        for X in ([[2.0, 2.0, 2.0]], [[1e-3, -1e-3, 0.0]], [[0.3, -0.4, 0.1]]):
            _compare(twins, torch.tensor(X, dtype=torch.float64), eps, setting=f"X = {X}, eps = {eps}")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X, γ and β with the right values (mean and variance depend on X too)"""
    _twins(student, draw).gradients_agree(draw.normal(sizes.B, sizes.N_X, WIDTH), draw=draw, names=("X",))


@exercise(NAME)
@points(1)
@promises
def check_float32_and_large_means(student: Student, sizes: Sizes, draw: Draw) -> None:
    """float32 stays float32, X is not changed, and a large mean does not spoil the variance"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, WIDTH, dtype=torch.float32)
    _compare(twins, X)
    expect.dtype(expect.tensor(twins.module(X), "The result"), torch.float32, "The result")
    # With a mean of 300, the mean of the squares less the square of the mean would keep too few digits.
    try:
        _compare(twins, X + 300, size=40.0, setting="X with a mean of 300, float32")
    except CheckFailure as failure:
        if failure.kind == "value":  # the same X without the mean was right
            failure.cause = "digits lost with a large mean"
            failure.hint = (
                "Without the mean of 300 the result is right. Look for a difference of two large numbers, such as the mean of "
                "the squares less the square of the mean. The deviations from the mean are small."
            )
        raise
