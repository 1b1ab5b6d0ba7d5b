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
            ratio = measure.time_ratio(blockwise, ready, make, [1.15], rounds=(8, 31))
            seen = f"of PyTorch's (between {ratio.low:.2f} and {ratio.high:.2f})"
            yield BenchmarkResult(f"blockwise: time at (B, H, N, D) = {shape}", ratio.value, 1.15, seen)
        x = inputs(SHAPES[1])
        whole = peak_memory(lambda: _whole_matrix(names, *x))
        yield BenchmarkResult(
            "blockwise: memory at N = 4096", peak_memory(lambda: blockwise(*x)) / whole, 0.1, "of the whole matrices'"
        )
        peaks = {n: peak_memory(functools.partial(blockwise, *inputs((1, 4, n, 64)))) for n in (2048, 8192)}
        slope = math.log(peaks[8192] / peaks[2048]) / math.log(4)
        yield BenchmarkResult("blockwise: growth of memory, N = 2048 to 8192", slope, 1.1, "power of N")


def _whole_matrix(names: dict[str, Any], Q: Any, K: Any, V: Any) -> Any:
    return names["scaled_dot_product_attention"](Q, K, V, names["causal_mask"](Q.shape[-2]))
