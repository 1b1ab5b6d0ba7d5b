"""nt_xent(z, temperature=0.5)."""

import math

import torch

from autograder.checks import (
    Draw,
    Request,
    Student,
    exercise,
    expect,
    function_gradients_agree,
    function_works_where_its_inputs_are,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.vision_language import references
from autograder.lessons.vit.checks import functions

NAME = "nt_xent"
WHAT, MEANING = "The loss", "one number"
#: (rows, D), the smallest first.
SIZES = ((2, 3), (4, 2), (4, 5), (6, 3), (10, 7), (14, 5), (34, 3))


def _setting(z, temperature=None):
    return f"z {tuple(z.shape)} = (2N, D)" + ("" if temperature is None else f", temperature = {temperature}")


def _compare(student: Student, z, temperature=None, more=""):
    args = (z,) if temperature is None else (z, temperature)
    want = references.nt_xent(*args)
    functions.same_value(student, NAME, args, want, WHAT, MEANING, _setting(z, temperature) + more)


@exercise(NAME)
@points(1)
def check_one_number(student: Student, draw: Draw) -> None:
    """The loss is one number, a tensor of shape (), of the dtype of the vectors"""
    for rows, D in SIZES[1:]:
        for dtype in (torch.float64, torch.float32):
            got, other = (expect.tensor(student.nt_xent(draw.normal(rows, D, dtype=dtype)), WHAT) for _ in range(2))
            expect.shape(got, (), WHAT, MEANING, f"z {(rows, D)} = (2N, D)")
            expect.dtype(got, dtype, WHAT)
            expect.depends_on_its_inputs(got, other, WHAT)


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """It is the mean over all 2N rows of −log of the softmax, over all other rows, of cosine / temperature, at the partner"""
    for rows, D in SIZES:
        z = draw.normal(rows, D)
        _compare(student, z)
        for temperature in (0.1, 1.0, 2.0):
            _compare(student, 3 * z, temperature)


@exercise(NAME)
@points(1)
def check_known_values(student: Student, draw: Draw) -> None:
    """All vectors alike: log(2N − 1), with a gradient of 0. Pairs at right angles: log(1 + (2N − 2) · exp(−1 / temperature))"""
    for N, D in ((2, 3), (5, 7)):
        alike = draw.normal(1, D).expand(2 * N, D).clone()
        functions.same_value(
            student,
            NAME,
            (alike,),
            torch.tensor(math.log(2 * N - 1), dtype=torch.float64),
            WHAT,
            MEANING,
            f"{2 * N} equal rows",
        )
        apart = torch.eye(N, D + 1, dtype=torch.float64).repeat(2, 1)
        want = torch.tensor(math.log(1 + (2 * N - 2) * math.exp(-1)), dtype=torch.float64)
        functions.same_value(
            student, NAME, (apart, 1.0), want, WHAT, MEANING, f"{N} pairs at right angles, temperature = 1"
        )
        answer = student.answer(Request(NAME, (alike,), cotangents=(torch.ones((), dtype=torch.float64),)))
        expect.gradients(answer.gradients[:1], [torch.zeros_like(alike)], ("z",), f"{2 * N} equal rows")


@exercise(NAME)
@points(1)
@promises
def check_pairs_gradients_and_large_numbers(student: Student, draw: Draw) -> None:
    """An odd number of rows raises a ValueError; small temperatures stay finite; gradients are right; z and its device stay"""
    for rows in (3, 7):
        raises_value_error(
            f"A batch of {rows} rows",
            "Compare len(z) % 2 with 0 before anything else, and raise a ValueError that says what was expected.",
            student.nt_xent,
            draw.normal(rows, 5),
        )
    z = draw.normal(10, 7)
    for temperature in (0.01, 0.001):
        _compare(student, 100 * z, temperature)
    # The only candidate is as far away as can be: a large negative number in the place of −∞ would count more.
    opposite = torch.cat((z[:1], -z[:1]))
    for temperature in (0.005, 0.0001):
        _compare(student, opposite, temperature, ", two opposite rows")
    _compare(student, z.T.contiguous().T, 0.3, ", transposed in memory")
    functions.keeps(student, NAME, (draw.normal(6, 5).float(),), references.nt_xent, WHAT, ("z",))
    cotangent = torch.tensor(1.7, dtype=torch.float64)
    function_gradients_agree(student, NAME, (z, 0.3), references.nt_xent, cotangent, ("z",))
    function_works_where_its_inputs_are(student, NAME, z)
