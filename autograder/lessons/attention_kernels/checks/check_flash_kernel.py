"""flash_kernel(memory, program, Q, K, V, Y, L, N_Q, N_K, D, stride, block_q, block_k, causal) -> two stores."""

import torch
from torch import Tensor

from autograder.checks import Draw, Student, exercise, points
from autograder.lessons.attention_kernels import references
from autograder.lessons.attention_kernels.checks.programs import (
    Layout,
    Run,
    block_of,
    far_below_zero,
    loads_only,
    loads_tiles,
    result_is,
    run,
    stores_only,
)
from autograder.lessons.attention_kernels.checks.states import logs_are

NAME = "flash_kernel"
D = 5
_NOT_SEEN = (
    "No query of the block sees a key from `end` on. Look at where the loop over the keys ends, and at what it loads."
)
#: N_Q, N_K, block_q, block_k.
CASES = ((4, 4, 4, 4), (8, 8, 4, 4), (5, 7, 4, 4), (5, 7, 4, 2), (1, 9, 4, 2), (7, 11, 2, 4), (9, 9, 4, 2))


class _Case:
    """One attention: what ran, and what should have come out."""

    def __init__(
        self, student: Student, draw: Draw, sizes: tuple[int, ...], causal: bool, scale: float = 1.0, far: bool = False
    ):
        self.N_Q, self.N_K, self.block_q, self.block_k = sizes
        self.causal, self.stride = causal, D + 3
        Q, K, V = (draw.normal(n, D) for n in (self.N_Q, self.N_K, self.N_K))
        if far:
            Q, K = far_below_zero(draw, self.N_Q, self.N_K, D)
        self.want = references.flash_forward(scale * Q, K, V, causal=causal)
        self.size = 4.0 if far else max(4.0, float((scale * Q @ K.mT).abs().max()))
        layout = Layout()
        self.starts = [layout.put(X, self.stride) for X in (scale * Q, K, V)]
        self.Y, self.L = layout.room(self.N_Q, self.stride), layout.room(self.N_Q, 1)
        args = (*self.starts, self.Y, self.L, self.N_Q, self.N_K, D, self.stride, self.block_q, self.block_k, causal)
        tiles = f"tiles of {self.block_q} × {self.block_k}"
        below = ", all scores below -30,000" if far else ""
        self.setting = f"N_Q = {self.N_Q}, N_K = {self.N_K}, {tiles}, causal={causal}{below}, random order"
        self.run: Run = run(student, NAME, layout, -(-self.N_Q // self.block_q), args, draw, stores=2)

    def outputs(self) -> "_Case":
        result_is(self.run, self.Y, self.want[0], self.stride, "Y", self.setting, self.size)
        return self

    def logs(self) -> None:
        logs_are(self.run.numbers[self.L : self.L + self.N_Q], self.want[1], self.setting)

    def rows(self, program: int) -> range:
        return range(program * self.block_q, min((program + 1) * self.block_q, self.N_Q))

    def addresses(self) -> None:
        own: dict[int, Tensor] = {}
        needed: dict[int, Tensor] = {}
        may: dict[int, Tensor] = {}
        for program in self.run.stored:
            rows = self.rows(program)
            logs = torch.arange(self.L + rows.start, self.L + rows.stop)
            own[program] = torch.cat([block_of(self.Y, rows, range(D), self.stride), logs])
            keys = max(0, rows.stop + self.N_K - self.N_Q) if self.causal else self.N_K
            seen = max(0, (program + 1) * self.block_q + self.N_K - self.N_Q) if self.causal else self.N_K
            whole_blocks = min(self.N_K, -(-seen // self.block_k) * self.block_k)
            needed[program], may[program] = self._inputs(rows, keys), self._inputs(rows, whole_blocks)
        stores_only(self.run, own, self.setting)
        loads_only(self.run, needed, self.setting, may, _NOT_SEEN)
        loads_tiles(self.run, max(self.block_q, self.block_k) * D, self.setting)

    def _inputs(self, rows: range, keys: int) -> Tensor:
        """Return the addresses of these queries, and of the first keys and values."""
        of = zip(self.starts, (rows, range(keys), range(keys)), strict=True)
        return torch.cat([block_of(start, each, range(D), self.stride) for start, each in of])


@exercise(NAME)
@points(3)
def check_outputs(student: Student, draw: Draw) -> None:
    """Y is attention, for any lengths and tiles"""
    for sizes in CASES:
        _Case(student, draw, sizes, False).outputs()


@exercise(NAME)
@points(3)
def check_causal(student: Student, draw: Draw) -> None:
    """With causal=True, query i sees the keys up to i + N_K − N_Q; rows without a key have zeros"""
    for sizes in (*CASES, (7, 3, 2, 2), (5, 2, 4, 4)):
        _Case(student, draw, sizes, True).outputs()


@exercise(NAME)
@points(2)
def check_logs(student: Student, draw: Draw) -> None:
    """L holds the log-sum-exps"""
    for sizes in (*CASES[1:6], (7, 3, 2, 2)):
        for causal in (False, True):
            _Case(student, draw, sizes, causal).logs()


@exercise(NAME)
@points(1)
def check_large_scores(student: Student, draw: Draw) -> None:
    """Large scores give numbers"""
    for causal in (False, True):
        _Case(student, draw, (7, 11, 2, 4), causal, 1000.0).outputs()
        _Case(student, draw, (7, 11, 2, 4), causal, far=True).outputs()


@exercise(NAME)
@points(2)
def check_addresses(student: Student, draw: Draw) -> None:
    """Keys and values are loaded once, in blocks that some query of the block sees, and nothing else is touched"""
    for sizes in CASES:
        for causal in (False, True):
            _Case(student, draw, sizes, causal).addresses()
