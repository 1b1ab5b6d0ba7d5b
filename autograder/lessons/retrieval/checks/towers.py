"""Checks that both the tower of texts and the recommender pass through: one result, gradients, no trace of earlier calls."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from autograder.checks import (
    ModulePair,
    Student,
    expect,
    explain_randomness,
    has_parameters,
    no_side_effects,
    parameter_gradients,
    same_twice,
    uses_its_inputs,
)


def result(value: object, shape: Sequence[int], what: str, meaning: str, setting: str) -> Tensor:
    """Return the student's result if it is one tensor of this shape."""
    found = expect.tensor(value, what)
    expect.shape(found, shape, what, meaning, setting)
    return found


def parameters(student: Student, name: str, builds: Sequence[tuple], reference: type) -> None:
    """Fail unless the modules have the parameters of the reference's, for each of these arguments."""
    for build in builds:
        want: Mapping[str, Tensor] = dict(reference(*build).named_parameters())
        has_parameters(student, name, build, want)


def gradients(twins: ModulePair, inputs: Sequence[tuple], draw, setting: str) -> None:
    """Compare the gradients of all parameters."""
    own = dict(twins.reference.named_parameters())
    for args in inputs:
        right = twins.reference(*args)
        cotangent = draw.normal(*right.shape)
        answer = twins.module.request(*args, cotangents=(cotangent,))
        want = torch.autograd.grad((right * cotangent).sum(), list(own.values()))
        with explain_randomness(twins.module, None, *args):
            expect.gradients(parameter_gradients(answer, own), want, tuple(own), setting)


def same_again(twins: ModulePair, ids: Tensor, others: Sequence[tuple], what: str) -> None:
    """Compare calls after others and with tensors that lie otherwise in memory; ids may not be changed."""
    uses_its_inputs(twins.module, (ids,), others[0])
    same_twice(twins.module, ids)
    no_side_effects(twins, others, ids, what=(what,))
    twins.agree(ids.T.contiguous().T, what=(what,), setting=f"ids {tuple(ids.shape)}, a transposed tensor")
