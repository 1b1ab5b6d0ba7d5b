"""Shared parts of the checks of the heads: vectors Y (B, N, D) as they come from an encoder."""

import math
from typing import Any

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Student,
    expect,
    expect_still,
    has_parameters,
    independent_elements,
    no_side_effects,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.fine_tuning import references

D = 13
P = 0.25


def shapes(B_and_N):
    """The sizes (B, N) on which a head is tried: the smallest first, and one where both are equal to the width."""
    return [(1, 1), (1, 2), (2, 1), B_and_N, (5, 3), (D, D)]


def twins_of(student: Student, name: str, outputs: int, draw: Any) -> ModulePair:
    """Return the student's head with this number of outputs, without dropout, and the reference of that name."""
    build = (D, outputs, 0.0)
    return ModulePair(student, name, build, getattr(references, name)(*build), draw)


def right_shapes(student: Student, name: str, outputs: int, draw: Any, B_and_N: tuple[int, int], meaning: str) -> None:
    """Compare the parameters with the reference's, and the shape of the logits, ``meaning``, with that of its logits."""
    twins = twins_of(student, name, outputs, draw)
    has_parameters(student, name, twins.build, dict(twins.reference.named_parameters()))
    for B, N in shapes(B_and_N):
        Y = draw.normal(B, N, D)
        logits = expect.tensor(twins.module(Y), "logits")
        expect.shape(logits, twins.reference(Y).shape, "logits", meaning, f"Y {tuple(Y.shape)}")
    uses_its_inputs(twins.module, (Y,), (Y.flip(0),))


def gradients_and_repetition(twins: ModulePair, draw: Draw, Y, what, outputs=1):
    """Compare gradients; then the same input gives the same output, in training too, and is not changed."""
    twins.gradients_agree(Y, draw=draw, names=("Y",), outputs=outputs)
    same_twice(twins.module, Y)
    no_side_effects(twins, [(Y[:1, :2],), (Y.flip(0),)], Y, what=what)
    twins.agree(Y.transpose(0, 1).contiguous().transpose(0, 1), what=what)
    uses_its_inputs(twins.module, (Y,), (Y.square(),))


def passes_on():
    """Return weights of an output layer that passes each of its D inputs on to two of its 2 D outputs."""
    one = torch.eye(D, dtype=torch.float64)
    return {"output.weight": torch.cat((one, one)), "output.bias": torch.zeros(2 * D, dtype=torch.float64)}


def drops(student: Student, name, weights, Y, hint):
    """Fail unless dropout with p = 0.25 is applied to what goes into the output layer, and to nothing else.

    With ``weights`` the head gives each number that goes into its output layer twice; where one is dropped, both are 0.
    """
    module = student.build(name, D, 2 * D, P, weights=weights)
    still = expect.tensor(expect_still(module, Y, setting=f"eval mode, dropout={P}"), "logits").double()
    whole = expect.tensor(student.build(name, D, 2 * D, 0.0, weights=weights)(Y), "logits").double()
    message = "In eval mode the logits are not those without dropout."
    expect.allclose(still, whole, "logits", setting=f"eval mode, dropout={P}", message=message)
    dropped = expect.tensor(module.when(training=True)(Y), "logits").double()
    zero = dropped == 0
    twice = torch.equal(zero[..., :D], zero[..., D:])
    share, slack = zero.double().mean().item(), 6.5 * math.sqrt(2 * P * (1 - P) / zero.numel())
    scaled = torch.allclose(dropped[~zero], whole[~zero] / (1 - P), rtol=1e-4, atol=1e-6)
    if twice and scaled and abs(share - P) <= slack:
        details = {"setting": f"training mode, dropout={P}", "received": "dropout"}
        independent_elements(zero[..., :D], "Whole vectors are dropped, not single numbers.", hint, details)
        return
    raise CheckFailure(
        "dropout",
        "Dropout is not applied to what goes into the output layer.",
        setting=f"training mode, dropout={P}",
        expected=f"{P:.0%} of its inputs 0, the others divided by {1 - P}",
        received="dropout",
        yours=f"{share:.0%} of what comes out is 0" + ("" if twice else ", also where the input is not"),
        cause="dropout missing" if torch.allclose(dropped, whole) else "dropout in the wrong place",
        hint=hint,
    )
