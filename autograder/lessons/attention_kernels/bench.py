"""The memory of lesson 16's FlashAttention, forward and backward, against that of the whole matrix of weights."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import torch

from autograder.checks.timing import BenchmarkResult, Solution
from course_lib.devices import peak_memory

#: (heads, D), and the numbers of rows between which memory may grow.
HEADS, D = 2, 64
LENGTHS = (1024, 4096)
BLOCK = 128

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("flash_forward", "sums_not_rescaled"), ("flash_kernel", "queries_first"))


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the memory of the forward and of the backward pass, as a share of the whole matrix's and over the length."""
    names = solution.names()
    with torch.no_grad():
        for title, run in (("forward", _forward), ("backward", _backward)):
            peaks = {N: peak_memory(functools.partial(run, names, *_inputs(names, N))) for N in LENGTHS}
            matrix = HEADS * LENGTHS[1] ** 2 * 4  # bytes of N × N weights in float32
            name = f"flash attention: memory of the {title} pass at N = {LENGTHS[1]}"
            yield BenchmarkResult(name, peaks[LENGTHS[1]] / matrix, 0.1, "of the N × N weights'")
            slope = math.log(peaks[LENGTHS[1]] / peaks[LENGTHS[0]]) / math.log(LENGTHS[1] / LENGTHS[0])
            name = f"flash attention: growth of the {title} pass's memory, N = {LENGTHS[0]} to {LENGTHS[1]}"
            yield BenchmarkResult(name, slope, 1.1, "power of N")


def _inputs(names: dict[str, Any], N: int) -> tuple[Any, ...]:
    Q, K, V, dY = torch.randn(4, HEADS, N, D, generator=torch.Generator().manual_seed(0))
    Y, L = _forward(names, Q, K, V)
    return Q, K, V, Y, L, dY


def _forward(names: dict[str, Any], Q: Any, K: Any, V: Any, *_: Any) -> Any:
    return names["flash_forward"](Q, K, V, BLOCK, BLOCK, causal=True)


def _backward(names: dict[str, Any], Q: Any, K: Any, V: Any, Y: Any, L: Any, dY: Any) -> Any:
    return names["flash_backward"](Q, K, V, Y, L, dY, BLOCK, BLOCK, causal=True)
