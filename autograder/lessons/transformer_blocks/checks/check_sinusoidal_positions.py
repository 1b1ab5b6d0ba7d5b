"""sinusoidal_positions(N, D)."""

import math

import torch

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, points

NAME = "sinusoidal_positions"


def _want(N, D):
    """The definition, number by number."""
    rows = [
        [(math.sin, math.cos)[k % 2](position / 10000 ** ((k - k % 2) / D)) for k in range(D)] for position in range(N)
    ]
    return torch.tensor(rows, dtype=torch.float64).reshape(N, D)


def _compare(student: Student, N, D, slack=40.0):
    """``slack`` leaves room for angles of up to a hundred in float32, which is exact enough for short sequences."""
    P = expect.tensor(student.sinusoidal_positions(N, D), "P")
    call = f"sinusoidal_positions({N}, {D})"
    expect.shape(P, (N, D), "P", "(N, D)", call)
    expect.allclose(P.float(), _want(N, D), "P", size=slack, setting=call)
    return P


@exercise(NAME)
@points(1)
def check_shape_and_dtype(student: Student) -> None:
    """One row of D numbers for every position, in float32, without a gradient"""
    for N, D in [(5, 12), (1, 2), (7, 4), (6007, 2)]:
        P = expect.tensor(student.sinusoidal_positions(N, D), "P")
        expect.shape(P, (N, D), "P", "(N, D)", f"sinusoidal_positions({N}, {D})")
        if P.dtype != torch.float32 or P.requires_grad:
            yours = f"{P.dtype}{', with a gradient' if P.requires_grad else ''}"
            raise CheckFailure(
                "dtype",
                "P should be a plain float32 tensor.",
                expected="torch.float32",
                yours=yours,
                received=yours,
                cause="wrong dtype or a parameter",
                hint="These numbers are fixed, not learned. Compute in float64, and turn the result into float32 at the end.",
            )
    expect.depends_on_its_inputs(
        student.sinusoidal_positions(1, 8).float(), student.sinusoidal_positions(2, 8)[1:].float(), "P"
    )


@exercise(NAME)
@points(1)
def check_values(student: Student, draw: Draw) -> None:
    """Column 2i holds the sine of pos / 10000^(2i/D), and column 2i + 1 the cosine of the same angle"""
    drawn = 2 + int(draw.integers(60)), 2 * (2 + int(draw.integers(30)))
    for N, D in [(2, 2), (3, 4), (5, 6), (7, 12), (20, 512), (50, 16), (300, 4), drawn]:
        _compare(student, N, D)


@exercise(NAME)
@points(1)
def check_position_zero_and_first_columns(student: Student) -> None:
    """Position 0 is 0, 1, 0, 1, …, and the first two columns are sin(pos) and cos(pos)"""
    P = _compare(student, 1, 6)
    expect.allclose(P, torch.tensor([[0.0, 1.0] * 3]), "P", setting="position 0")
    P = _compare(student, 7, 8)
    angle = torch.arange(7.0, dtype=torch.float64)
    expect.allclose(
        P[:, :2].float(),
        torch.stack([angle.sin(), angle.cos()], 1),
        "P[:, :2]",
        size=10.0,
        setting="the first two columns",
    )


@exercise(NAME)
@points(1)
def check_odd_widths(student: Student, draw: Draw) -> None:
    """An odd D has one more sine than cosines"""
    for N, D in [(3, 3), (4, 1), (5, 7), (6, 13), (7, 15 + 2 * int(draw.integers(30)))]:
        _compare(student, N, D)


@exercise(NAME)
@points(1)
def check_far_positions(student: Student) -> None:
    """Thousands of positions further on, the numbers are still exact: the angles are computed in float64"""
    N, D = 5001, 20
    P = expect.tensor(student.sinusoidal_positions(N, D), "P")
    expect.shape(P, (N, D), "P", "(N, D)", f"sinusoidal_positions({N}, {D})")
    want = _want(N, D)
    expect.allclose(
        P[:50].float(), want[:50], "P", size=40.0, setting=f"the first rows of sinusoidal_positions({N}, {D})"
    )
    worst = (P.double() - want).abs().max().item()
    if not worst < 5e-6:
        raise CheckFailure(
            "value",
            "Far positions are not exact.",
            setting=f"sinusoidal_positions({N}, {D})",
            expected="differences below 0.000005",
            yours=f"up to {worst:.6f}",
            received=P.detach(),
            wanted=want,
            cause="angles in too low a precision" if worst < 0.02 else "",
            hint="An angle of 5,000 in float32 is known to three digits after the point, and its "
            "frequency is rounded before that. Compute the angles in float64, and turn the result into float32 at the end.",
        )
