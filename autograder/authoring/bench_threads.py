"""The cost of a small training's steps on a busy machine, where threads that wait for each other must not spin."""

import contextlib
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

LOAD = 4
#: A program that trains a model of lesson 08's size as the notebooks do, and prints the processor time of its steps.
_TRAINING = """\
import course_lib
import sys, time, torch
from torch import nn
from course_lib import devices
from course_lib.training import fit
torch.manual_seed(0)
devices.set_threads()
layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
def train(steps):
    loss = lambda model, batch: model(batch).square().mean()
    fit(model, loss, [torch.randn(64, 17, 64)], steps=steps, learning_rate=1e-3, show=False, device="cpu")
train(3)
start = time.process_time()
train(int(sys.argv[1]))
print(time.process_time() - start)
"""


def under_load(rounds: int = 3, steps: int = 30) -> float:
    """Return the processor time of the steps beside LOAD busy processes, relative to that without them."""
    alone, beside = [], []
    for _ in range(rounds):
        alone.append(_cost(steps))
        with _busy(LOAD):
            beside.append(_cost(steps))
    return statistics.median(beside) / statistics.median(alone)


def _cost(steps: int) -> float:
    """Return the processor time of ``steps`` steps in a fresh process, in seconds."""
    # Without this shell's settings: a notebook does not have them.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    run = subprocess.run(
        [sys.executable, "-c", _TRAINING, str(steps)], capture_output=True, text=True, check=True, env=environment
    )
    return float(run.stdout)


@contextlib.contextmanager
def _busy(count: int) -> Iterator[None]:
    """Run ``count`` busy processes in the background."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
