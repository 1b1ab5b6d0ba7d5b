"""grouped_kernel(memory, program, Q, K, V, Y, N_K, D, group, stride, block_k) -> (addresses, values, mask)."""

import torch
from torch import Tensor

from autograder.checks import Draw, Student, exercise, points
from autograder.lessons.attention_kernels import references
from autograder.lessons.attention_kernels.checks.programs import (
    Layout,
    block_of,
    far_below_zero,
    loads_only,
    loads_tiles,
    result_is,
    run,
    stores_only,
)

NAME = "grouped_kernel"
D = 5
#: Heads of keys, queries of each, keys, block_k: more heads and fewer, whole blocks and not.
CASES = ((1, 1, 4, 4), (3, 1, 5, 2), (1, 3, 8, 4), (2, 3, 7, 4), (3, 2, 6, 8), (4, 3, 9, 2))
_NOT_ITS_OWN = "Program g has the keys of head g, N_K rows of them, and no others. Look at where they begin and end."


class _Case:
    """One query for each head: what ran, and what should have come out."""

    def __init__(self, student: Student, draw: Draw, sizes: tuple[int, ...], scale: float = 1.0, far: bool = False):
        self.heads, self.group, self.N_K, self.block_k = sizes
        self.stride = D + 3
        Q, K, V = (draw.normal(n, D) for n in (self.heads * self.group, *2 * (self.heads * self.N_K,)))
        if far:
            Q, K = far_below_zero(draw, len(Q), len(K), D)
        layout = Layout()
        self.starts = [layout.put(X, self.stride) for X in (scale * Q, K, V)]
        self.Y = layout.room(len(Q), self.stride)
        heads = f"{len(Q)} heads of queries on {self.heads} of keys"
        below = ", all scores below -30,000" if far else ""
        self.setting = f"{heads}, N_K = {self.N_K}, block_k = {self.block_k}{below}, random order"
        args = (*self.starts, self.Y, self.N_K, D, self.group, self.stride, self.block_k)
        self.run = run(student, NAME, layout, self.heads, args, draw)
        split = (X.unflatten(0, (self.heads, -1)) for X in (scale * Q, K, V))
        self.want = torch.cat([references.attention(*each)[0] for each in zip(*split, strict=True)])
        self.size = max(4.0, 10 * scale)

    def outputs(self) -> None:
        result_is(self.run, self.Y, self.want, self.stride, "Y", self.setting, self.size)

    def addresses(self) -> None:
        own, needed = {}, {}
        for program in self.run.stored:
            queries = range(program * self.group, (program + 1) * self.group)
            keys = range(program * self.N_K, (program + 1) * self.N_K)
            own[program] = block_of(self.Y, queries, range(D), self.stride)
            needed[program] = self._inputs(queries, keys)
        stores_only(self.run, own, self.setting)
        loads_only(self.run, needed, self.setting, None, _NOT_ITS_OWN)
        loads_tiles(self.run, max(self.group, self.block_k) * D, self.setting)

    def _inputs(self, queries: range, keys: range) -> Tensor:
        """Return the addresses of these queries, keys and values."""
        of = zip(self.starts, (queries, keys, keys), strict=True)
        return torch.cat([block_of(start, each, range(D), self.stride) for start, each in of])


@exercise(NAME)
@points(3)
def check_outputs(student: Student, draw: Draw) -> None:
    """Each head of queries attends to the keys of its own group"""
    for sizes in CASES:
        _Case(student, draw, sizes).outputs()


@exercise(NAME)
@points(1)
def check_large_scores(student: Student, draw: Draw) -> None:
    """Large scores give numbers"""
    _Case(student, draw, (2, 3, 7, 4), 1000.0).outputs()
    _Case(student, draw, (2, 3, 7, 4), far=True).outputs()


@exercise(NAME)
@points(2)
def check_addresses(student: Student, draw: Draw) -> None:
    """Keys and values are loaded once for the whole group, in blocks, and nothing else is touched"""
    for sizes in CASES:
        _Case(student, draw, sizes).addresses()
