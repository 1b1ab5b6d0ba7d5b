"""attention_rollout(weights)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
)
from autograder.lessons.vit import references
from autograder.lessons.vit.checks import functions

NAME = "attention_rollout"
WHAT, MEANING = "The rollout", "(B, T, T)"
#: (blocks, B, heads, N), the smallest first. In the last ones, sizes that should be told apart are equal.
SIZES = ((1, 1, 1, 2), (2, 1, 1, 2), (1, 2, 3, 5), (3, 2, 5, 7), (5, 3, 2, 7), (2, 3, 3, 3), (3, 1, 3, 4))


def _weights(draw: Draw, blocks, B, heads, N, scale=2.0):
    return [draw.normal(B, heads, N, N, scale=scale).softmax(-1) for _ in range(blocks)]


def _compare(student: Student, weights, more=""):
    setting = f"{len(weights)} blocks, each A {tuple(weights[0].shape)} = (B, heads, T, T){more}"
    return functions.same_value(
        student, NAME, (weights,), references.attention_rollout(weights), WHAT, MEANING, setting
    )


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """Blocks of weights (B, heads, T, T) give one matrix for each picture, (B, T, T)"""
    for blocks, B, heads, N in SIZES:
        got, other = (
            expect.tensor(student.attention_rollout(_weights(draw, blocks, B, heads, N)), WHAT) for _ in range(2)
        )
        setting = f"{blocks} blocks, each A {(B, heads, N, N)} = (B, heads, T, T)"
        expect.shape(got, (B, N, N), WHAT, MEANING, setting)
        expect.depends_on_its_inputs(got, other, WHAT)


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Each block is half its mean over the heads and half the identity; the last block stands on the left of the product"""
    for blocks, B, heads, N in SIZES:
        _compare(student, _weights(draw, blocks, B, heads, N))


@exercise(NAME)
@points(1)
def check_chain(student: Student, draw: Draw) -> None:
    """What block 1 brings to a token, block 2 hands on: through two blocks, row 0 finds what it looked at in two steps"""
    N = 3
    first, second = (torch.zeros(1, 1, N, N, dtype=torch.float64) for _ in range(2))
    # In block 1, token 1 looks at 2; in block 2, token 0 at 1.
    for A, looks_at in ((first, (0, 2, 2)), (second, (1, 1, 2))):
        A[0, 0, torch.arange(N), torch.tensor(looks_at)] = 1.0
    setting = "2 blocks; in the first, token 1 looks at 2, in the second, token 0 at 1"
    got = expect.tensor(student.attention_rollout([first, second]), WHAT)
    expect.shape(got, (1, N, N), WHAT, MEANING, setting)
    sums = got.sum(-1)
    if not torch.allclose(sums, torch.ones_like(sums)):
        raise CheckFailure(
            "value",
            "Rows do not sum to 1.",
            setting=setting,
            received=got,
            expected="each row sums to 1",
            yours=f"they sum to {expect.numbers(sums)}",
            cause="rows do not sum to 1",
            hint="Half of a mean of weights and half of the identity have rows that sum to 1, and so has their product.",
        )
    want = torch.tensor([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]], dtype=torch.float64)
    expect.allclose(got, want[None], WHAT, setting=setting)
    for N in (2, 5):
        _compare(student, _weights(draw, 4, 2, 3, N))


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """It takes a tuple as well as a list, keeps dtype and device, lets gradients through, and changes neither list nor weights"""
    weights = _weights(draw, 3, 2, 5, 7)
    single = [A.float() for A in weights]
    got = expect.tensor(student.attention_rollout(single), WHAT)
    expect.dtype(got, torch.float32, WHAT)
    expect.allclose(got, references.attention_rollout(weights), WHAT, setting="float32")
    half = [A.to(torch.bfloat16) for A in weights]  # an identity of the usual dtype makes float32 of it
    expect.dtype(expect.tensor(student.attention_rollout(half), WHAT), torch.bfloat16, WHAT, "weights in bfloat16")
    _compare(student, tuple(weights), ", as a tuple")
    _compare(student, [A.mT.contiguous().mT for A in weights], ", transposed in memory")
    _gradients_flow(student, weights, draw.normal(2, 7, 7))
    function_works_where_its_inputs_are(student, NAME, weights)


def _gradients_flow(student: Student, weights, cotangent):
    """Compare gradients up to one number for each row: rows sum to 1, so who divides by the sum once more is right too."""
    leaves = [A.clone().requires_grad_() for A in weights]
    want = torch.autograd.grad((references.attention_rollout(leaves) * cotangent).sum(), leaves)
    found = student.answer(Request(NAME, (weights,), cotangents=(cotangent,))).gradients
    found = [g - g.mean(-1, keepdim=True) if isinstance(g, torch.Tensor) else g for g in found]
    names = [f"weights[{n}]" for n in range(len(weights))]
    expect.gradients(found, [g - g.mean(-1, keepdim=True) for g in want], names, "less the mean of each row")
