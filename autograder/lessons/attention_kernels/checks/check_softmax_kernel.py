"""softmax_kernel(memory, program, X, Y, columns, X_stride, Y_stride, block) -> (addresses, values, mask)."""

import torch
from torch import Tensor

from autograder.checks import Draw, Student, exercise, points
from autograder.lessons.attention_kernels.checks.programs import (
    Layout,
    Run,
    block_of,
    loads_only,
    result_is,
    run,
    stores_only,
)

NAME = "softmax_kernel"


def _run(
    student: Student, draw: Draw, X: Tensor, block: int, gap: tuple[int, int] = (0, 0)
) -> tuple[Run, int, int, tuple, str]:
    rows, columns = X.shape
    strides = columns + gap[0], columns + gap[1]
    layout = Layout()
    start, result = layout.put(X, strides[0]), layout.room(rows, strides[1])
    setting = f"{rows} rows of {columns}, block {block}, strides {strides[0]} and {strides[1]}, random order"
    return (
        run(student, NAME, layout, rows, (start, result, columns, *strides, block), draw),
        start,
        result,
        strides,
        setting,
    )


def _compare(student: Student, draw: Draw, X: Tensor, block: int, gap: tuple[int, int] = (0, 0)) -> None:
    done, _, result, strides, setting = _run(student, draw, X, block, gap)
    result_is(done, result, torch.softmax(X, 1), strides[1], "Y", setting)


@exercise(NAME)
@points(2)
def check_rows(student: Student, draw: Draw) -> None:
    """Each program computes the softmax of its row, whatever the strides"""
    for rows, columns, block in ((1, 4, 4), (3, 5, 8), (2, 1, 4), (3, 16, 16)):
        _compare(student, draw, draw.normal(rows, columns), block)
        _compare(student, draw, draw.normal(rows, columns), block, (3, 7))


@exercise(NAME)
@points(1)
def check_any_numbers(student: Student, draw: Draw) -> None:
    """Rows far below 0, far above, and very wide are right, too"""
    for shift in (-50.0, -1000.0, 1000.0):
        _compare(student, draw, draw.normal(2, 5) + shift, 8, (3, 7))
    # Far below any number that may stand in for what is beyond the row, and far apart: float32 has few digits left there.
    _compare(student, draw, -30_000.0 - 200 * draw.permutation(10).view(2, 5), 8, (3, 7))


@exercise(NAME)
@points(1)
def check_addresses(student: Student, draw: Draw) -> None:
    """A program loads each number of its row once, stores its row, and touches nothing else"""
    for columns, block in ((5, 8), (4, 4), (1, 8)):
        done, start, result, strides, setting = _run(student, draw, draw.normal(3, columns), block, (3, 7))
        own = {row: block_of(result, range(row, row + 1), range(columns), strides[1]) for row in range(3)}
        stores_only(done, own, setting)
        loads_only(
            done, {row: block_of(start, range(row, row + 1), range(columns), strides[0]) for row in range(3)}, setting
        )
