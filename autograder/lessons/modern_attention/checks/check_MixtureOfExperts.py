"""MixtureOfExperts(width, num_experts, k, hidden_width=None)."""

import torch

from autograder.checks import (
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
    uses_its_inputs,
)
from autograder.lessons.modern_attention import references

NAME = "MixtureOfExperts"
WHAT = ("Y", "The logits")
#: Width, experts, chosen ones and hidden width.
BUILD = (7, 5, 2, 11)


def _twins(student, draw, build=BUILD, dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, build, references.MixtureOfExperts(*build), draw, dtype, weights)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """router maps to a logit for each expert, without a bias, and experts is a list of SwiGLU layers"""
    for build in (BUILD, (7, 3, 1)):
        has_parameters(student, NAME, build, dict(references.MixtureOfExperts(*build).named_parameters()))
    X = draw.normal(sizes.N_X, BUILD[0])
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y and the logits are those of the mixture, row by row, with any leading axes"""
    for build in [BUILD, (7, 5, 1, 11), (7, 5, 5, 11), (2, 3, 2), (3, 1, 1)]:
        for lead in [(1,), (sizes.N_X,), (sizes.B, sizes.N_X), (2, 3, 5)]:
            _twins(student, draw, build).agree(draw.normal(*lead, build[0], scale=2.0), what=WHAT)
    twins = _twins(student, draw)
    twins.agree(
        draw.normal(sizes.B, BUILD[0], sizes.N_X).mT, what=WHAT, setting="a transposed X, whose memory has gaps"
    )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X, to the router and to every expert"""
    for build in (BUILD, (7, 3, 3, 11)):
        twins = _twins(student, draw, build)
        X = draw.normal(2, 19, 7)
        twins.gradients_agree(
            X, draw=draw, names=("X",), outputs=1, setting=f"{build[1]} experts, k = {build[2]}, only Y counts"
        )
        twins.gradients_agree(
            X, draw=draw, names=("X",), outputs=2, setting=f"{build[1]} experts, k = {build[2]}, Y and the logits count"
        )


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_kept_or_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """X stays as it is, float32 stays float32, and nothing is kept from call to call"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, BUILD[0], dtype=torch.float32)
    for value, what in zip(twins.agree(X, what=WHAT), WHAT, strict=True):
        expect.dtype(value, torch.float32, what)
    no_side_effects(twins, [(2 * X,), (X[:1],)], X, what=WHAT)
