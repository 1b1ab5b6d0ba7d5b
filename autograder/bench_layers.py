"""Training steps of layers against those of PyTorch's own, as ratios."""

import functools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

#: (B, N, D, H)
MULTI_HEAD_SHAPES = ((8, 256, 256, 8), (2, 1024, 512, 8))


def multi_head(names: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Yield (name, ratio, target): forward and backward of the solution's MultiHeadAttention against PyTorch's.

    Both return the weights, as the exercise asks: the solution those of every head, PyTorch's layer what it returns by default.
    """
    import torch

    from autograder import measure

    with measure.threads(2):
        for B, N, D, H in MULTI_HEAD_SHAPES:
            torch.manual_seed(0)
            ours = names["MultiHeadAttention"](D, H)
            theirs = torch.nn.MultiheadAttention(D, H, batch_first=True)
            our_step, their_step = _step(ours, _self_attention(ours, 1)), _step(theirs, _self_attention(theirs, 3))
            make = functools.partial(_inputs, B, N, D)
            our_step(*make())
            ratio = measure.time_ratio(our_step, their_step, make, [1.1], rounds=(15, 41), clock=time.perf_counter)
            yield f"multi-head: step at (B, N, D, H) = {(B, N, D, H)}", ratio.median, 1.1


def _inputs(B: int, N: int, D: int) -> tuple[Any, Any]:
    import torch

    return torch.randn(B, N, D, requires_grad=True), torch.randn(B, N, D)


def _self_attention(module: Any, arguments: int) -> Callable[[Any], Any]:
    return lambda X: module(*[X] * arguments)[0]


def _step(module: Any, forward: Callable[[Any], Any]) -> Callable[[Any, Any], None]:
    def run(X: Any, target: Any) -> None:
        module.zero_grad()
        (forward(X) - target).pow(2).mean().backward()

    return run


_ENCODER = """\
import time
import torch
from torch import nn
from autograder import measure
from autograder.bench_layers import _inputs, _step
from course_lib.layers import Encoder

B, N, D, H, HIDDEN, BLOCKS, DROPOUT = 32, 128, 256, 8, 1024, 4, 0.1
layer = nn.TransformerEncoderLayer(D, H, HIDDEN, DROPOUT, batch_first=True)
theirs = nn.TransformerEncoder(layer, BLOCKS, enable_nested_tensor=False).train()
ours = Encoder(BLOCKS, D, H, HIDDEN, DROPOUT).train()
our_step, their_step = _step(ours, lambda X: ours(X, need_weights=False)[0]), _step(theirs, theirs)
with measure.threads(2):
    our_step(*_inputs(B, N, D))
    make = lambda: _inputs(B, N, D)
    ratio = measure.time_ratio(our_step, their_step, make, [1.0], rounds=(11, 31), clock=time.perf_counter)
print(ratio.median)
"""


def encoder() -> Iterator[tuple[str, float, float]]:
    """Yield (name, ratio, target): a training step of the course's encoder against that of PyTorch's, both with dropout.

    In a process of its own, because nothing in the autograder imports the course's layers.
    """
    done = subprocess.run([sys.executable, "-c", _ENCODER], capture_output=True, text=True, check=True)
    yield "layers: training step of an encoder", float(done.stdout), 1.0
