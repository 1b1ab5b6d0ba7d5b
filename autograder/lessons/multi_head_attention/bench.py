"""A training step of the solution's multi-head attention against PyTorch's."""

import functools
from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.checks.timing import BenchmarkResult, Solution, step_ratio
from autograder.runtime import measure

#: (B, N, D, H)
SHAPES = ((8, 256, 256, 8), (2, 1024, 512, 8))

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("MultiHeadAttention", "bare_view"),)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield ratios: forward and backward of the solution's MultiHeadAttention against PyTorch's.

    Both return the weights, as the exercise asks: the solution those of every head, PyTorch's layer what it returns by default.
    """
    names = solution.names()
    with measure.threads(2):
        for B, N, D, H in SHAPES:
            torch.manual_seed(0)
            ours = names["MultiHeadAttention"](D, H)
            theirs = torch.nn.MultiheadAttention(D, H, batch_first=True)
            ratio = step_ratio(
                ours,
                lambda X, target, layer=ours: (layer(X)[0] - target).pow(2).mean(),
                theirs,
                lambda X, target, layer=theirs: (layer(X, X, X)[0] - target).pow(2).mean(),
                functools.partial(_batch, B, N, D),
                target=1.1,
                rounds=(15, 41),
            )
            yield BenchmarkResult(f"multi-head: step at (B, N, D, H) = {(B, N, D, H)}", ratio, 1.1, "of PyTorch's")


def _batch(B: int, N: int, D: int) -> tuple[Tensor, Tensor]:
    return torch.randn(B, N, D, requires_grad=True), torch.randn(B, N, D)
