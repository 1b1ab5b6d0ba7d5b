"""matmul_kernel(memory, program, A, B, C, M, N, K, A_stride, B_stride, C_stride, block) -> (addresses, values, mask)."""

import torch

from autograder.checks import Draw, Student, exercise, points
from autograder.lessons.attention_kernels.checks.programs import (
    Layout,
    Run,
    block_of,
    loads_only,
    loads_tiles,
    result_is,
    run,
    stores_only,
)

NAME = "matmul_kernel"
#: M, N, K, block: whole tiles, remainders on each side, wide, high, smaller than a tile, long along K.
WHOLE = ((4, 4, 4, 4), (4, 8, 12, 4))
RAGGED = ((5, 7, 6, 4), (3, 10, 5, 4), (9, 2, 1, 4), (2, 3, 5, 8), (3, 5, 11, 4))


class _Case:
    """One product: what ran, and which addresses belong to which program."""

    def __init__(self, student: Student, draw: Draw, M: int, N: int, K: int, block: int, gap: int = 0):
        A, B = draw.normal(M, K), draw.normal(K, N)
        self.want, self.block, self.sizes = A @ B, block, (M, N, K)
        self.strides = K + gap, N + 2 * gap, N + 3 * gap
        layout = Layout()
        self.A, self.B = layout.put(A, self.strides[0]), layout.put(B, self.strides[1])
        self.C = layout.room(M, self.strides[2])
        programs = -(-M // block) * -(-N // block)
        args = (self.A, self.B, self.C, M, N, K, *self.strides, block)
        self.setting = f"M, N, K = {M}, {N}, {K}, block {block}, strides {self.strides}, random order"
        self.run: Run = run(student, NAME, layout, programs, args, draw)

    def compare(self) -> None:
        result_is(self.run, self.C, self.want, self.strides[2], "C", self.setting, size=8.0)

    def tile(self, program: int) -> tuple[range, range]:
        M, N, _ = self.sizes
        row, column = divmod(program, -(-N // self.block))
        return (
            range(row * self.block, min((row + 1) * self.block, M)),
            range(column * self.block, min((column + 1) * self.block, N)),
        )

    def addresses(self) -> None:
        K = self.sizes[2]
        own, needed = {}, {}
        for program in self.run.stored:
            rows, columns = self.tile(program)
            own[program] = block_of(self.C, rows, columns, self.strides[2])
            left = block_of(self.A, rows, range(K), self.strides[0])
            needed[program] = torch.cat([left, block_of(self.B, range(K), columns, self.strides[1])])
        stores_only(self.run, own, self.setting)
        loads_only(self.run, needed, self.setting)
        loads_tiles(self.run, self.block**2, self.setting)


@exercise(NAME)
@points(3)
def check_whole_tiles(student: Student, draw: Draw) -> None:
    """Each program computes its tile of the product, numbered row by row"""
    for case in WHOLE:
        _Case(student, draw, *case).compare()


@exercise(NAME)
@points(3)
def check_any_sizes(student: Student, draw: Draw) -> None:
    """M, N and K need not be multiples of the block, and rows may lie apart"""
    for case in RAGGED:
        _Case(student, draw, *case).compare()
        _Case(student, draw, *case, gap=3).compare()


@exercise(NAME)
@points(2)
def check_addresses(student: Student, draw: Draw) -> None:
    """A program loads its rows of A and columns of B once, tile by tile, stores its own, and touches nothing else"""
    for case in (*WHOLE, *RAGGED):
        _Case(student, draw, *case, gap=3).addresses()
