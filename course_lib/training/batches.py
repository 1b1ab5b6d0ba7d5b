"""Streams of training batches that can be resumed at the same position."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from course_lib.training.errors import CheckpointError
from course_lib.training.files import Tensors
from course_lib.training.random_states import random_states, set_random_states

Batches = Iterable[Any] | Callable[[torch.Generator], Any]
NOTHING = object()


def to_device(batch: Any, device: torch.device) -> Any:
    """Return `batch` with all tensors in it on `device`: in tuples, lists, dictionaries, or what has a method `to`."""
    if hasattr(batch, "to"):
        return batch.to(device)
    if isinstance(batch, dict):
        return {key: to_device(value, device) for key, value in batch.items()}
    if isinstance(batch, list | tuple):
        parts = [to_device(part, device) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)
    return batch


class Drawn:
    """Batches that a function draws from one generator, without repetition."""

    def __init__(self, draw: Callable[[torch.Generator], Any], seed: int | None):
        self.draw = draw
        self.generator = torch.Generator()
        if seed is None:
            self.generator.seed()
        else:
            self.generator.manual_seed(seed)

    def __next__(self) -> Any:
        return self.draw(self.generator)

    def state(self) -> Tensors:
        """Return the position in the stream of batches."""
        return {"generator": self.generator.get_state()}

    def restore(self, state: Tensors) -> None:
        """Return to the position of `state`."""
        self.generator.set_state(state["generator"])


class Passes:
    """Batches of a list, a DataLoader or another iterable: when one pass over them ends, the next begins.

    To return to a position in the middle of a pass, the pass begins again with its initial random states, and the batches before
    the position are skipped. So a DataLoader that shuffles repeats its order.
    """

    def __init__(self, batches: Iterable[Any], device: torch.device):
        self.batches, self.device = batches, device
        own = getattr(batches, "generator", None)  # a DataLoader may have one
        self.generator = own if isinstance(own, torch.Generator) else None
        self.iterator: Iterator[Any] = iter(())
        self.used = 0
        self.start = self._states()

    def __next__(self) -> Any:
        batch = next(self.iterator, NOTHING)
        if batch is NOTHING:
            self._begin()
            batch = next(self.iterator, NOTHING)
        if batch is NOTHING:
            raise ValueError(
                "Expected batches that can be gone through again and again, got nothing more. Pass a list, a DataLoader "
                "or a function that draws a batch from a generator; an iterator is used up after one pass."
            )
        self.used += 1
        return batch

    def _begin(self) -> None:
        self.start, self.used = self._states(), 0
        self.iterator = iter(self.batches)

    def _states(self) -> Tensors:
        own = {} if self.generator is None else {"generator": self.generator.get_state()}
        return random_states(self.device) | own

    def state(self) -> Tensors:
        """Return the position: the number of batches used in this pass, and the random states at its beginning."""
        return {"used": torch.tensor(self.used), **self.start}

    def restore(self, state: Tensors) -> None:
        """Return to the position of `state`. Leaves the random states as after the batches before it."""
        used = int(state["used"])
        if used == 0:
            return
        set_random_states(state, self.device)
        if self.generator is not None and "generator" in state:
            self.generator.set_state(state["generator"])
        self._begin()
        for _ in range(used):
            if next(self.iterator, NOTHING) is NOTHING:
                raise CheckpointError(
                    f"Expected at least the {used} batches of a pass that the checkpoint has used, got fewer. Pass the "
                    "same batches as before, or resume=False to begin anew."
                )
        self.used = used


def stream_of(batches: Batches, seed: int | None, device: torch.device) -> Drawn | Passes:
    """Return the batches as one endless stream. Raises ValueError if they are neither iterable nor a function."""
    if isinstance(batches, Iterable):
        return Passes(batches, device)
    if callable(batches):
        return Drawn(batches, seed)
    raise ValueError(
        f"Expected batches to be a list, a DataLoader or a function of a generator, got {type(batches).__name__}."
    )
