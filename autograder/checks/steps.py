"""Compare the time of a training step of two models on the same batches."""

import time
from collections.abc import Callable
from typing import Any

from autograder.runtime import measure

Loss = Callable[..., Any]


def step_ratio(
    ours: Any,
    our_loss: Loss,
    theirs: Any,
    their_loss: Loss,
    make: Callable[[], tuple],
    target: float = 1.0,
    rounds: tuple[int, int] = (11, 31),
    clock: measure.Clock = time.perf_counter,
) -> float:
    """Return the median time of our step (forward, loss and backward) divided by theirs.

    Each loss takes a fresh batch from ``make()`` and uses its model, which is in training mode. Rounds are added
    while it is unclear whether the ratio is below ``target``. With one thread, ``clock=time.process_time`` does not depend on
    what else the machine does.
    """
    our_step, their_step = _step(ours.train(), our_loss), _step(theirs.train(), their_loss)
    return measure.time_ratio(our_step, their_step, make, [target], rounds, clock=clock).value


def _step(model: Any, loss: Loss) -> Callable[..., None]:
    def run(*batch: Any) -> None:
        model.zero_grad()
        loss(*batch).backward()

    return run
