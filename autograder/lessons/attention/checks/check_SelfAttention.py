"""SelfAttention(D_X, D_Q, D_V)."""

import torch

from autograder.checks import Draw, Sizes, Student, exercise, expect, points, promises
from autograder.lessons.attention.checks import modules

NAME = "SelfAttention"


def _module(student: Student, sizes: Sizes, draw: Draw, dtype=torch.float64):
    loaded = modules.weights(sizes, draw, dtype)
    return modules.build(student, NAME, sizes, loaded), loaded


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes) -> None:
    """The parameters are W_Q, W_K and W_V, linear maps without bias"""
    modules.has_the_right_parameters(student, NAME, sizes)


@exercise(NAME)
@points(1)
def check_one_output_for_every_input(student: Student, sizes: Sizes, draw: Draw) -> None:
    """One output of width D_V for every input: Y (B, N_X, D_V) and A (B, N_X, N_X)"""
    for N_X in (sizes.N_X, 1):
        X = draw.normal(sizes.B, N_X, sizes.D_X, dtype=torch.float32)
        Y, A = expect.pair(student.build(NAME, sizes.D_X, sizes.D_Q, sizes.D_V)(X), "Y", "A")
        expect.shape(Y, (sizes.B, N_X, sizes.D_V), "Y", "(B, N_X, D_V)", modules.describe(X, sizes))
        expect.shape(A, (sizes.B, N_X, N_X), "A", "(B, N_X, N_X)", modules.describe(X, sizes))
        modules.depends_on_its_inputs(_module(student, sizes, draw, torch.float32)[0], X)


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Q = X W_Q, K = X W_K, V = X W_V, then scaled dot-product attention"""
    module, loaded = _module(student, sizes, draw)
    module.when(deep=True).request(draw.normal(sizes.B, sizes.N_X, sizes.D_X))
    for B, N_X in [(1, 2), (sizes.B, sizes.N_X), (sizes.H, sizes.N_K)]:
        X = draw.normal(B, N_X, sizes.D_X)
        modules.compare(module, loaded, X, modules.describe(X, sizes))


@exercise(NAME)
@points(1)
def check_mask(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` says which inputs each input may attend to; one that may attend to nothing gets zeros"""
    module, loaded = _module(student, sizes, draw)
    B, N = sizes.B, sizes.N_X
    X = draw.normal(B, N, sizes.D_X)
    empty = draw.allowed(B, N, N)
    empty[:, 1] = False
    for allowed in (draw.allowed(N), draw.allowed(N, N), draw.allowed(B, N, N), draw.allowed(B, 1, N), empty):
        modules.compare(
            module, loaded, X, modules.describe(X, sizes, f"allowed {tuple(allowed.shape)}"), allowed, allowed=allowed
        )


@exercise(NAME)
@points(1)
def check_permutation_equivariance(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Permuting the inputs permutes the outputs in the same way"""
    module, _ = _module(student, sizes, draw)
    X = draw.normal(sizes.B, sizes.N_K, sizes.D_X)
    modules.equivariance(module, X, draw.permutation(sizes.N_K))


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to X and to all three weights with the right values"""
    module, loaded = _module(student, sizes, draw)
    X = draw.normal(sizes.B, sizes.N_X, sizes.D_X)
    gradients_agree(module, loaded, X, draw, sizes)


def gradients_agree(module, loaded, X, draw: Draw, sizes: Sizes, mask=None):
    """Compare the gradients with respect to X and the three weights with those of the reference."""
    cotangents = draw.normal(*X.shape[:2], sizes.D_V), draw.normal(*X.shape[:2], X.shape[1])
    answer = module.request(X, cotangents=cotangents)
    expect.pair(answer.value, "Y", "A")
    leaves = {name: w.clone().requires_grad_() for name, w in loaded.items()}
    source = X.clone().requires_grad_()
    total = sum((out * c).sum() for out, c in zip(modules.reference(leaves, source, mask), cotangents, strict=True))
    want = torch.autograd.grad(total, [source, *leaves.values()])
    own = answer.parameter_gradients
    found = [
        *answer.gradients,
        *(next((g for k, g in own.items() if k == n or k.endswith("." + n)), None) for n in leaves),
    ]
    expect.gradients(found, want, ("X", *leaves), modules.describe(X, sizes))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 too, and the input is not changed"""
    module, loaded = _module(student, sizes, draw, torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, sizes.D_X, dtype=torch.float32)
    modules.same_twice(module, X)
    modules.compare(module, loaded, X, modules.describe(X, sizes))
    given = (draw.allowed(sizes.B, *2 * X.shape[1:2]),)
    modules.earlier_calls_leave_no_trace(module, loaded, X, draw, sizes, given=given)


@exercise(NAME)
@points(1)
def check_equal_widths(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same equations hold when all widths are equal"""
    modules.equal_widths(student, NAME, sizes, draw)
