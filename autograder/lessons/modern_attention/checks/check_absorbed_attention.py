"""absorbed_attention(Q, Q_R, C, R, W_UK, W_UV)."""

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    measured,
    points,
    promises,
)
from autograder.lessons.modern_attention import references

NAME = "absorbed_attention"
NAMES = ("Q", "Q_R", "C", "R", "W_UK", "W_UV")
#: Heads, width of a head, of its turned part, of a latent vector: no size is another, or a product of others.
SIZES = (3, 5, 4, 11)


def _inputs(draw: Draw, B: int, N: int, N_K: int, sizes: tuple = SIZES, dtype=torch.float64) -> tuple[Tensor, ...]:
    H, D_H, D_R, D_C = sizes
    shapes = ((B, H, N, D_H), (B, H, N, D_R), (B, N_K, D_C), (B, N_K, D_R), (H * D_H, D_C), (H * D_H, D_C))
    return tuple(draw.normal(*shape, dtype=dtype) for shape in shapes)


def _agree(student: Student, inputs: tuple[Tensor, ...], setting: str = "") -> Tensor:
    Y = expect.tensor(student.call(NAME, *inputs), "Y")
    want = references.absorbed_attention(*inputs)
    expect.shape(Y, want.shape, "Y", "(B, H, N, D_H)", setting)
    said = setting or f"Q {tuple(inputs[0].shape)}, Q_R {tuple(inputs[1].shape)}, C {tuple(inputs[2].shape)}"
    expect.allclose(Y, want, "Y", size=8.0, setting=said)
    return Y


@exercise(NAME)
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y is that of the naive form, for one new row and for many"""
    for B, N, N_K in [(1, 1, 1), (1, 2, 2), (sizes.B, 1, 7), (sizes.B, 3, 7), (2, 13, 13)]:
        _agree(student, _inputs(draw, B, N, N_K))
    for widths in [(1, 1, 2, 1), (5, 7, 2, 3), (2, 3, 6, 13)]:
        _agree(student, _inputs(draw, sizes.B, 3, 5, widths))


@exercise(NAME)
@points(2)
def check_heads_and_parts(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each head has its own rows of W_UK and W_UV, and the turned part alone decides where the other is 0"""
    H, D_H, _, _ = SIZES
    inputs = list(_inputs(draw, sizes.B, 3, 7))
    alone = torch.zeros_like(inputs[0])
    _agree(student, (alone, *inputs[1:]), "Q is 0, so that only the turned part makes scores")
    _agree(
        student, (inputs[0], torch.zeros_like(inputs[1]), *inputs[2:]), "Q_R is 0, so that only the latent part does"
    )
    marks = torch.arange(1.0, H + 1, dtype=torch.float64).repeat_interleave(D_H)
    inputs[2][..., 0] = 1
    inputs[5] = torch.zeros_like(inputs[5])
    inputs[5][:, 0] = marks
    _agree(student, tuple(inputs), f"{H} heads, every value of head h is h + 1")
    _agree(student, _inputs(draw, sizes.B, 3, 7))


@exercise(NAME)
@points(2)
@measured
def check_no_keys_of_heads(student: Student, draw: Draw) -> None:
    """Keys and values of the heads are in memory at no time"""
    _agree(student, _inputs(draw, 2, 3, 7))
    N_K, sizes = 16_384, (8, 64, 4, 8)  # keys of 32 MiB, which no pool of an allocator hides
    peak = student.peak_memory(NAME, lambda: _inputs(draw, 1, 1, N_K, sizes, torch.float32))
    keys = 4 * N_K * sizes[0] * sizes[1]  # bytes of the keys of all heads
    if peak > keys / 4:
        raise CheckFailure(
            "memory",
            "Too much memory is held at once.",
            setting=f"one new row, N_K = {N_K}, H = {sizes[0]}, D_H = {sizes[1]}, D_C = {sizes[3]}, float32",
            expected=f"at most {keys / 2**22:.0f} MiB, a quarter of the keys of all heads",
            yours=f"{peak / 2**20:.1f} MiB",
            received="memory",
            cause="keys or values of the heads are in memory",
            hint="W_UK belongs to the queries, W_UV to what the weights have made of the latent vectors. Look at what each is "
            "applied to.",
        )


@exercise(NAME)
@points(2)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to all six inputs with the right values"""
    for N in (1, 4):
        inputs = _inputs(draw, sizes.B, N, 5)
        G = draw.normal(*inputs[0].shape)
        answer = student.answer(Request(NAME, inputs, cotangents=(G,)))
        leaves = [x.clone().requires_grad_() for x in inputs]
        want = torch.autograd.grad((references.absorbed_attention(*leaves) * G).sum(), leaves)
        expect.gradients(answer.gradients[:6], want, NAMES, f"{N} new rows, N_K = 5")


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The arguments stay as they are; dtype and device are kept"""
    inputs = _inputs(draw, sizes.B, 3, 7, dtype=torch.float32)
    expect.dtype(_agree(student, inputs, "float32"), torch.float32, "Y")
    function_works_where_its_inputs_are(student, NAME, *inputs)
