"""interpolate_positions(positions, new_grid)."""

from autograder.checks import (
    Draw,
    Student,
    exercise,
    expect,
    function_gradients_agree,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.vit import references
from autograder.lessons.vit.checks import functions

NAME = "interpolate_positions"
WHAT, MEANING = "The new positions", "(1 + rows · columns, D)"
#: (n of the old n x n grid, D, (rows, columns)), the smallest first. In the last ones, sizes that should be told apart are equal.
SIZES = (
    (2, 1, (3, 3)),
    (2, 3, (2, 5)),
    (3, 2, (5, 2)),
    (4, 7, (8, 8)),
    (4, 7, (7, 11)),
    (5, 11, (3, 2)),
    (7, 13, (14, 10)),
    (1, 5, (3, 2)),
    (3, 3, (3, 5)),
    (4, 4, (6, 4)),
    (3, 9, (6, 6)),
    (4, 3, (2, 8)),  # as many patches as before
    (4, 3, (8, 2)),
    (11, 2, (15, 30)),  # 11 · (15 / 11) is a little less than 15 in floating point
)


def _setting(n, D, grid):
    return f"positions {(1 + n * n, D)}, a grid of {n} x {n}; new_grid = {grid}"


def _compare(student: Student, positions, grid):
    n = round((len(positions) - 1) ** 0.5)
    want = references.interpolate_positions(positions, grid)
    return functions.same_value(
        student, NAME, (positions, grid), want, WHAT, MEANING, _setting(n, positions.shape[1], grid)
    )


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """(1 + n·n, D) becomes (1 + rows·columns, D): one row for the class token, and one for each patch of the new grid"""
    for n, D, grid in SIZES:
        positions = draw.normal(1 + n * n, D)
        got = expect.tensor(student.interpolate_positions(positions, grid), WHAT)
        expect.shape(got, (1 + grid[0] * grid[1], D), WHAT, MEANING, _setting(n, D, grid))
        other = expect.tensor(student.interpolate_positions(2 * positions, grid), WHAT)
        expect.depends_on_its_inputs(got, other, WHAT)


@exercise(NAME)
@points(1)
def check_class_token_and_same_grid(student: Student, draw: Draw) -> None:
    """The class token's row is kept; for the grid that the positions already have, all rows are kept"""
    for n, D, grid in SIZES:
        positions = draw.normal(1 + n * n, D)
        got = expect.tensor(student.interpolate_positions(positions, grid), WHAT)
        expect.shape(got, (1 + grid[0] * grid[1], D), WHAT, MEANING, _setting(n, D, grid))
        expect.allclose(
            got[:1],
            positions[:1],
            WHAT,
            size=4.0,
            setting=_setting(n, D, grid),
            message="The class token's position has changed.",
        )
        same = expect.tensor(student.interpolate_positions(positions, (n, n)), WHAT)
        expect.allclose(same, positions, WHAT, size=8.0, setting=_setting(n, D, (n, n)))
        other = expect.tensor(student.interpolate_positions(2 * positions, grid), WHAT)
        expect.depends_on_its_inputs(got[1:], other[1:], WHAT)


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """The patches' rows are a picture with D channels, stretched as F.interpolate does bicubically, and laid out row by row"""
    for n, D, grid in SIZES:
        _compare(student, draw.normal(1 + n * n, D), grid)


@exercise(NAME)
@points(1)
@promises
def check_layout_and_refusal(student: Student, draw: Draw) -> None:
    """It keeps the dtype, changes nothing in place, gradients flow back, and positions that are no square grid raise an error"""
    positions, grid = draw.normal(7, 1 + 9).T, (5, 4)
    _compare(student, positions, grid)
    functions.keeps(student, NAME, (positions.float(), grid), references.interpolate_positions, WHAT, ("positions",))
    cotangent = draw.normal(1 + 20, 7)
    function_gradients_agree(
        student, NAME, (positions, grid), references.interpolate_positions, cotangent, ("positions",)
    )
    for N in (8, 12, 16):  # with the class token's row: 7, 11 and 15 patches
        raises_value_error(
            f"A table of {N} rows, so of {N - 1} patches,",
            "Without the class token's row, the number of rows has to be the square of a whole number. Compare n * n with it, "
            "and raise a ValueError that says what was expected.",
            student.interpolate_positions,
            draw.normal(N, 4),
            (4, 4),
        )
