"""A training step of the course's encoder against that of PyTorch's."""

import subprocess
import sys
from collections.abc import Iterator

from autograder.checks.timing import BenchmarkResult, Solution

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("Encoder", "one_block_many_times"), ("Transformer", "embedding_not_scaled"))

_ENCODER = """\
import torch
from torch import nn
from autograder.runtime import measure
from autograder.checks.timing import step_ratio
from course_lib.layers import Encoder

B, N, D, H, HIDDEN, BLOCKS, DROPOUT = 32, 128, 256, 8, 1024, 4, 0.1
layer = nn.TransformerEncoderLayer(D, H, HIDDEN, DROPOUT, batch_first=True)
theirs = nn.TransformerEncoder(layer, BLOCKS, enable_nested_tensor=False)
ours = Encoder(BLOCKS, D, H, HIDDEN, DROPOUT)
make = lambda: (torch.randn(B, N, D, requires_grad=True), torch.randn(B, N, D))
with measure.threads(2):
    print(step_ratio(
        ours, lambda X, target: (ours(X, need_weights=False)[0] - target).pow(2).mean(),
        theirs, lambda X, target: (theirs(X) - target).pow(2).mean(), make,
    ))
"""


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield a ratio: a training step of the course's encoder against that of PyTorch's, both with dropout.

    In a process of its own, because nothing in the autograder imports the course's layers.
    """
    done = subprocess.run([sys.executable, "-c", _ENCODER], capture_output=True, text=True, check=True)
    yield BenchmarkResult("layers: training step of an encoder", float(done.stdout), 1.0, "of PyTorch's")
