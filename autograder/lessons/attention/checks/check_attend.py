"""attend(q, X) -> (y, a)."""

import torch

from autograder.checks import Draw, Request, Sizes, Student, exercise, expect, points, promises
from autograder.lessons.attention import references


def _inputs(sizes: Sizes, draw: Draw, scale=1.0, dtype=torch.float64, N_X=None):
    N_X = sizes.N_X if N_X is None else N_X
    return draw.normal(sizes.D_Q, scale=scale, dtype=dtype), draw.normal(N_X, sizes.D_Q, scale=scale, dtype=dtype)


def _attend(student: Student, q, X):
    return expect.pair(student.attend(q, X), "y", "a")


@exercise("attend")
@points(1)
def check_one_output_and_one_weight_for_every_input(student: Student, sizes: Sizes, draw: Draw) -> None:
    """y is one vector like the inputs; a has one weight for every input"""
    for N_X in (sizes.N_X, 1):
        y, a = _attend(student, *_inputs(sizes, draw, N_X=N_X))
        setting = f"q ({sizes.D_Q},), X ({N_X}, {sizes.D_Q})"
        expect.shape(y, (sizes.D_Q,), "y", "(D_Q,)", setting)
        expect.shape(a, (N_X,), "a", "(N_X,)", setting)
        expect.depends_on_its_inputs(y, _attend(student, *_inputs(sizes, draw, N_X=N_X))[0], "y")


@exercise("attend")
@points(1)
def check_weights_are_the_softmax_of_dot_products(student: Student, sizes: Sizes, draw: Draw) -> None:
    """a = softmax(q · x₁, …, q · x_N): positive weights that sum to 1"""
    for N_X in (sizes.N_X, 1, sizes.D_Q):
        q, X = _inputs(sizes, draw, 0.7, N_X=N_X)
        _, a = _attend(student, q, X)
        expect.allclose(
            a, references.attend(q, X)[1], "a", setting=f"q ({sizes.D_Q},), X ({N_X}, {sizes.D_Q}), float64"
        )


@exercise("attend")
@points(1)
def check_output_is_the_weighted_sum(student: Student, sizes: Sizes, draw: Draw) -> None:
    """y = Σ aᵢ xᵢ"""
    for N_X in (sizes.N_X, 1, sizes.D_Q):
        q, X = _inputs(sizes, draw, 0.7, N_X=N_X)
        y, _ = _attend(student, q, X)
        expect.allclose(
            y, references.attend(q, X)[0], "y", setting=f"q ({sizes.D_Q},), X ({N_X}, {sizes.D_Q}), float64"
        )


@exercise("attend")
@points(1)
def check_large_similarities(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Long vectors give numbers too, and the right ones"""
    for level in (1000.0, -1000.0, 30000.0):
        q, X = _near(level, sizes, draw)
        y, a = _attend(student, q, X)
        want_y, want_a = references.attend(q, X)
        expect.allclose(a, want_a, "a", size=abs(level), setting=f"similarities near {level:.0f}")
        expect.allclose(y, want_y, "y", size=abs(level), setting=f"similarities near {level:.0f}")


def _near(level, sizes: Sizes, draw: Draw):
    """Return q and X whose similarities all lie near ``level``, a little apart: every input gets a weight that counts."""
    q, X = _inputs(sizes, draw)
    along = q / q.norm()
    similarities = level + torch.linspace(-1.0, 1.0, len(X), dtype=q.dtype)
    return q, X + (similarities / q.norm() - X @ along)[:, None] * along


@exercise("attend")
@points(1)
@promises
def check_inputs_and_dtype_are_kept(student: Student, sizes: Sizes, draw: Draw) -> None:
    """q and X are not changed, and the results have their dtype"""
    for dtype in (torch.float64, torch.float32):
        q, X = _inputs(sizes, draw, 0.7, dtype)
        X = X.T.contiguous().T
        answer = student.answer(Request("attend", (q, X)))
        y, a = expect.pair(answer.value, "y", "a")
        setting = f"{dtype}, X not contiguous"
        expect.dtype(y, dtype, "y", setting)
        expect.dtype(a, dtype, "a", setting)
        expect.depends_on_its_inputs(y, _attend(student, q, X.square())[0], "y")


@exercise("attend")
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to q and to X with the right values"""
    q, X = _inputs(sizes, draw, 0.7)
    cotangents = draw.normal(sizes.D_Q), draw.normal(sizes.N_X)
    answer = student.answer(Request("attend", (q, X), cotangents=cotangents))
    expect.pair(answer.value, "y", "a")
    q.requires_grad_(), X.requires_grad_()
    pairs = zip(references.attend(q, X), cotangents, strict=True)
    total = torch.stack([(out * c).sum() for out, c in pairs]).sum()
    expect.gradients(answer.gradients, torch.autograd.grad(total, (q, X)), ("q", "X"), f"N_X = {sizes.N_X}, float64")
