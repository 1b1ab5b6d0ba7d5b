"""SpanHead(model_width)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    points,
    promises,
    uses_its_inputs,
)
from autograder.lessons.fine_tuning import references
from autograder.lessons.fine_tuning.checks import heads

NAME = "SpanHead"
WHAT = ("start", "end")


def _twins(student: Student, draw: Draw, dtype=torch.float64):
    return ModulePair(student, NAME, (heads.D,), references.SpanHead(heads.D), draw, dtype)


def _why(hidden: torch.Tensor, unmasked: torch.Tensor) -> tuple[str, str]:
    """Return cause and hint of scores that are not low, by what they are without a mask."""
    if torch.allclose(hidden, unmasked):
        hint = "Fill the scores of the start and those of the end with −torch.inf where not allowed."
        return "mask not applied to the scores", hint
    if not bool(hidden.any()):
        hint = "A score of 0 is not low: softmax gives it weight. Fill with −torch.inf where not allowed."
    else:
        hint = (
            "The mask changes these scores, but all others may be lower still. Fill with −torch.inf where not allowed."
        )
    return "hidden scores not low enough", hint


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has `output` alone, and gives two scores for every token, `start` (B, N) and `end` (B, N)"""
    has_parameters(student, NAME, (heads.D,), dict(references.SpanHead(heads.D).named_parameters()))
    module = _twins(student, draw).module
    for B, N in heads.shapes((sizes.B, sizes.N_K)):
        Y = draw.normal(B, N, heads.D)
        for value, what in zip(expect.pair(module(Y), *WHAT), WHAT, strict=True):
            expect.shape(value, (B, N), what, "(B, N)", f"Y {tuple(Y.shape)}")
    uses_its_inputs(module, (Y,), (Y.flip(0),))


@exercise(NAME)
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Column 0 of the linear map is the score of the start, column 1 that of the end"""
    twins = _twins(student, draw)
    for B, N in (*heads.shapes((sizes.B, sizes.N_K)), (2, 2)):
        twins.agree(draw.normal(B, N, heads.D), what=WHAT)
    heads.gradients_and_repetition(twins, draw, draw.normal(sizes.B, sizes.N_K, heads.D), WHAT, outputs=2)


@exercise(NAME)
@points(1)
@promises
def check_allowed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Where `allowed` is False, both scores are so low that no answer begins or ends there; all others stay"""
    twins = _twins(student, draw)
    for B, N in ((1, 2), (sizes.B, sizes.N_K), (5, 3), (2, 2)):
        Y, allowed = draw.normal(B, N, heads.D, scale=3.0), draw.allowed(B, N)
        allowed[-1] &= B < 5  # in one case no answer may lie anywhere in the last sequence
        with torch.no_grad():
            want = twins.reference(Y)
        for value, expected, what in zip(expect.pair(twins.module(Y, allowed), *WHAT), want, WHAT, strict=True):
            expect.shape(value, (B, N), what, "(B, N)", f"Y {tuple(Y.shape)}, allowed {tuple(allowed.shape)}")
            setting = f"Y {tuple(Y.shape)}, allowed {allowed.tolist()}"[:200]
            expect.allclose(value[allowed], expected[allowed], what, setting=setting)
            if bool((value[~allowed] > -1e4).any()) or bool(value.isnan().any()):
                cause, hint = _why(value[~allowed], expected[~allowed])
                raise CheckFailure(
                    "hidden",
                    f"{what} is not hidden where `allowed` is False.",
                    setting=setting,
                    received=what,
                    expected="−inf there, or a very large negative number",
                    yours=expect.numbers(value[~allowed]),
                    cause=cause,
                    hint=hint,
                )
        everything = torch.ones_like(allowed)
        twins.agree(Y, everything, what=WHAT, setting=f"Y {tuple(Y.shape)}, all allowed")
