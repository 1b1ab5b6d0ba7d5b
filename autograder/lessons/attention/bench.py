"""The solution's blockwise attention: its time and its memory."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import torch

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.lessons.attention import references
from autograder.runtime import measure
from course_lib.devices import peak_memory

#: (B, H, N, D)
SHAPES = ((1, 8, 2048, 64), (1, 4, 4096, 64))

#: At most so much of the time of PyTorch's fused kernel. In separate operations there is no more to gain: the two products of
#: the same tiles take 0.9 to 1.1 of its time, with the exponentials 1.1 to 1.3, with maximum, subtraction and sum 1.3 to 1.6.
AGAINST_FUSED = 1.6
#: And of the time of these operations alone, without a mask, rescaling or division.
AGAINST_BARE = 1.25

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("scaled_dot_product_attention", "no_scaling"),)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the solution's blockwise attention against PyTorch's (time) and against the whole matrix (memory)."""
    names = solution.names()
    blockwise = lambda *x: names["blockwise_attention"](*x, causal=True)  # noqa: E731
    ready = lambda *x: references.blockwise_attention(*x, causal=True)  # noqa: E731
    generator = torch.Generator().manual_seed(0)

    def inputs(shape: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(torch.randn(shape, generator=generator) for _ in range(3))

    with measure.threads(1), torch.no_grad():
        for shape in SHAPES:
            make = functools.partial(inputs, shape)
            blockwise(*inputs(shape))
            # Processor time of one thread repeats within a few percent; elapsed time of two measures the neighbours too.
            for other, whose, most in (
                (ready, "PyTorch's", AGAINST_FUSED),
                (_bare, "its operations' alone", AGAINST_BARE),
            ):
                ratio = measure.time_ratio(blockwise, other, make, [most], rounds=(8, 31))
                seen = f"of {whose} (between {ratio.low:.2f} and {ratio.high:.2f})"
                yield BenchmarkResult(f"blockwise: time at (B, H, N, D) = {shape}", ratio.value, most, seen)
        x = inputs(SHAPES[1])
        whole = peak_memory(lambda: _whole_matrix(names, *x))
        yield BenchmarkResult(
            "blockwise: memory at N = 4096", peak_memory(lambda: blockwise(*x)) / whole, 0.1, "of the whole matrices'"
        )
        peaks = {n: peak_memory(functools.partial(blockwise, *inputs((1, 4, n, 64)))) for n in (2048, 8192)}
        slope = math.log(peaks[8192] / peaks[2048]) / math.log(4)
        yield BenchmarkResult("blockwise: growth of memory, N = 2048 to 8192", slope, 1.1, "power of N")


def _bare(Q: Any, K: Any, V: Any, rows: int = 256, columns: int = 512) -> None:
    """Compute, on the solution's tiles, only the operations that every version needs, and drop the results."""
    Q, K, V = (A.flatten(0, -3) for A in (Q, K, V))
    for i in range(0, Q.shape[1], rows):
        end = i + rows
        for start in range(0, end, columns):
            last = min(start + columns, end)
            E = torch.bmm(Q[:, i:end], K[:, start:last].mT)
            E.sub_(E.amax(dim=-1, keepdim=True)).exp2_()
            E.sum(dim=-1)
            torch.bmm(E, V[:, start:last])


def _whole_matrix(names: dict[str, Any], Q: Any, K: Any, V: Any) -> Any:
    return names["scaled_dot_product_attention"](Q, K, V, names["causal_mask"](Q.shape[-2]))
