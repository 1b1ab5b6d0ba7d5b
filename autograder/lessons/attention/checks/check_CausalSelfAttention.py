"""CausalSelfAttention(D_X, D_Q, D_V)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Sizes,
    Student,
    exercise,
    expect,
    points,
    promises,
    sees_what_came_before,
    works_where_its_inputs_are,
)
from autograder.lessons.attention import references
from autograder.lessons.attention.checks import modules
from autograder.lessons.attention.checks.check_SelfAttention import gradients_agree

NAME = "CausalSelfAttention"


def _module(student: Student, sizes: Sizes, draw: Draw, dtype=torch.float64):
    loaded = modules.weights(sizes, draw, dtype)
    return modules.build(student, NAME, sizes, loaded), loaded


@exercise(NAME)
@points(0)
def check_one_output_for_every_input(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y (B, N_X, D_V) and A (B, N_X, N_X), from the weights W_Q, W_K and W_V"""
    modules.has_the_right_parameters(student, NAME, sizes)
    for N_X in (sizes.N_X, 1):
        X = draw.normal(sizes.B, N_X, sizes.D_X, dtype=torch.float32)
        Y, A = expect.pair(student.build(NAME, sizes.D_X, sizes.D_Q, sizes.D_V)(X), "Y", "A")
        expect.shape(Y, (sizes.B, N_X, sizes.D_V), "Y", "(B, N_X, D_V)", modules.describe(X, sizes))
        expect.shape(A, (sizes.B, N_X, N_X), "A", "(B, N_X, N_X)", modules.describe(X, sizes))
        modules.depends_on_its_inputs(_module(student, sizes, draw, torch.float32)[0], X)


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Self-attention in which row i attends to the rows 0 … i, with three weights and no bias"""
    # The check above brings no points, and extra biases are set to 0.
    modules.has_the_right_parameters(student, NAME, sizes)
    module, loaded = _module(student, sizes, draw)
    module.when(deep=True).request(draw.normal(sizes.B, sizes.N_X, sizes.D_X))
    for B, N_X in [(1, 2), (sizes.B, sizes.N_X), (sizes.H, sizes.D_V), (1, 1), (1, 131)]:
        X = draw.normal(B, N_X, sizes.D_X)
        modules.compare(module, loaded, X, modules.describe(X, sizes), references.causal_mask(N_X))


@exercise(NAME)
@points(1)
def check_changing_the_future_changes_nothing(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Changing the inputs after position i leaves the outputs up to i as they were"""
    module, _ = _module(student, sizes, draw)
    X = draw.normal(sizes.B, sizes.N_K, sizes.D_X)
    Y, A = expect.pair(module(X), "Y", "A")
    expect.depends_on_its_inputs(Y, expect.pair(module(X.square()), "Y", "A")[0], "Y")
    for i in range(sizes.N_K - 1):
        other = X.clone()
        other[:, i + 1 :] = draw.normal(sizes.B, sizes.N_K - i - 1, sizes.D_X, scale=3.0)
        Y_other, A_other = expect.pair(module(other), "Y", "A")
        for got, want, what in ((Y_other, Y, "Y"), (A_other, A, "A")):
            expect.shape(got, want.shape, what, "as before")
            if not torch.allclose(got[:, : i + 1], want[:, : i + 1], rtol=1e-9, atol=1e-9):
                raise _leak(f"Changing the inputs {i + 1} … {sizes.N_K - 1} changes {what} at position {i} or before.")
    first = torch.cat((draw.normal(sizes.B, 1, sizes.D_X), X[:, 1:]), dim=1)
    sees_what_came_before(expect.pair(module(first), "Y", "A")[0][:, -1], Y[:, -1], "Y")


@exercise(NAME)
@points(1)
def check_no_gradient_from_the_future(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The output at i has gradient 0 with respect to every later input"""
    module, loaded = _module(student, sizes, draw)
    X = draw.normal(1, sizes.N_X, sizes.D_X)
    want = torch.autograd.functional.jacobian(
        lambda x: modules.reference(loaded, x, references.causal_mask(sizes.N_X))[0].sum(-1), X
    )
    for i in range(sizes.N_X):
        cotangent = torch.zeros(1, sizes.N_X, sizes.D_V, dtype=torch.float64)
        cotangent[:, i] = 1
        [gradient] = module.request(X, cotangents=(cotangent,)).gradients
        gradient = torch.zeros_like(X) if gradient is None else gradient
        late = gradient[:, i + 1 :].abs()
        if bool((late > 1e-12).any()):
            raise _leak(
                f"The output at {i} has a gradient with respect to input {i + 1 + int(late.amax((0, 2)).argmax())}."
            )
        expect.allclose(
            gradient, want[0, i], "d Y/d X", size=float(want.abs().max()), setting=f"output {i} of {sizes.N_X}"
        )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all three weights with the right values"""
    module, loaded = _module(student, sizes, draw)
    X = draw.normal(sizes.B, sizes.N_X, sizes.D_X)
    gradients_agree(module, loaded, X, draw, sizes, references.causal_mask(sizes.N_X))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 and on another device too, and the input is not changed"""
    module, loaded = _module(student, sizes, draw, torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, sizes.D_X, dtype=torch.float32)
    modules.same_twice(module, X)
    modules.compare(module, loaded, X, modules.describe(X, sizes), references.causal_mask(sizes.N_X))
    modules.earlier_calls_leave_no_trace(module, loaded, X, draw, sizes, references.causal_mask(sizes.N_X))
    works_where_its_inputs_are(module, X)


@exercise(NAME)
@points(1)
def check_equal_widths(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same equations hold when all widths are equal"""
    modules.equal_widths(student, NAME, sizes, draw, references.causal_mask(sizes.N_X))


def _leak(message):
    return CheckFailure(
        "leak",
        message,
        received=message,
        cause="looks ahead",
        hint="Position i may use the inputs 0 … i. Which part of E does your mask hide, and what else mixes the inputs?",
    )
