"""A rehearsal of a training loop with spies, and the parameters that PyTorch's own optimiser gives for the same batches."""

import copy
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from autograder.checks import CheckFailure, Draw, Request, StandIn, Student, no_return
from course_lib.training.spy import EVENTS

NAME = "train"
D, ROWS = 3, 24
EVENT, RATE, NORM, PARAMETERS = 0, 1, 2, slice(3, 4 + D)


@dataclass
class Rehearsal:
    """The inputs of a training loop: batches, an optimiser, the rates and the largest norm of the gradients."""

    draw: Draw
    steps: int = 4
    kind: str = "SGD"
    groups: bool = False
    clip: float | None = 1e6
    scale: float = 1.0
    training: bool = True
    start: Tensor = field(init=False)
    batches: list[list[Tensor]] = field(init=False)
    rates: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.draw.normal(D)
        self.batches = [
            [self.draw.normal(5, D), self.draw.normal(5, scale=self.scale), torch.zeros(ROWS, 4 + D).double()]
            for _ in range(self.steps)
        ]
        self.rates = [0.02 + 0.1 * float(self.draw.normal(1).abs().clamp(max=2)) for _ in range(self.steps)]

    def request(self, stream: bool = False, **options: Any) -> Request:
        """Return the request to a student. ``stream``: the batches come as from a generator, and their notes do not come back."""
        spies = (
            StandIn("course_lib.training.SpyModel", {"weight": self.start, "training": self.training}),
            StandIn("course_lib.training.SpyLoss", {}),
            StandIn("course_lib.training.SpyBatches", {"batches": self.batches}) if stream else self.batches,
            StandIn("course_lib.training.SpyOptimizer", {"kind": self.kind, "groups": self.groups}),
            StandIn("course_lib.training.SpyRate", {"rates": self.rates}),
        )
        # What a training changes: the spies, and their notes in the batches.
        may_change = ("0", "1", *(f"2[{number}][2]" for number in range(self.steps)))
        return Request(NAME, spies if self.clip is None else (*spies, self.clip), may_change=may_change, **options)

    def unclipped(self) -> "Rehearsal":
        """Return the same rehearsal without a limit to the gradients."""
        other = copy.copy(self)
        other.clip = 1e9
        return other

    def setting(self) -> str:
        """Say what is rehearsed."""
        clip = "left out (1)" if self.clip is None else f"{self.clip:g}"
        groups = ", each parameter a group" if self.groups else ""
        return f"{self.steps} batches, {self.kind}{groups}, clip {clip}"

    def run(self, student: Student) -> tuple[list[float], list[Tensor]]:
        """Return the student's losses and the notes of every batch."""
        answer = student.answer(self.request())
        losses = floats(answer.value, self.steps, self.setting())
        return losses, [batch[2] for batch in answer.args_after[2]]

    def right(self) -> tuple[list[float], Tensor, Tensor]:
        """Return the losses, the parameters before each step and after the last, and the norm of the gradient in each step."""
        weight, bias = self.start.clone().requires_grad_(), torch.zeros(1).double().requires_grad_()
        groups = [{"params": [one]} for one in (weight, bias)] if self.groups else [weight, bias]
        optimizer = getattr(torch.optim, self.kind)(groups, lr=1.0)
        losses, parameters, norms = [], [], []
        for (X, y, _), rate in zip(self.batches, self.rates, strict=True):
            parameters.append(torch.cat((weight, bias)).detach())
            loss = functional.mse_loss(X @ weight + bias, y)
            gradients = torch.autograd.grad(loss, (weight, bias))
            norm = torch.cat(gradients).norm()
            factor = min(1.0, (1.0 if self.clip is None else self.clip) / float(norm))
            weight.grad, bias.grad = (factor * gradient for gradient in gradients)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            losses.append(float(loss))
            norms.append(factor * norm)
        return losses, torch.stack([*parameters, torch.cat((weight, bias)).detach()]), torch.stack(norms)


def floats(value: Any, count: int, setting: str) -> list[float]:
    """Return a list of that many floats, or fail."""
    if value is None:
        raise no_return()
    plain = isinstance(value, list | tuple) and all(isinstance(one, float) for one in value)
    if not plain or len(value) != count:
        kinds = sorted({type(one).__name__ for one in value}) if isinstance(value, list | tuple) else []
        came = (
            f"{len(value)} of {', '.join(kinds) or 'nothing'}" if kinds or value == [] else f"a {type(value).__name__}"
        )
        tensors = "Tensor" in kinds
        raise CheckFailure(
            "type",
            "The losses of all steps should be a list of floats.",
            setting=setting,
            expected=f"{count} floats",
            yours=came,
            received=came,
            cause="losses are tensors" if tensors else "",
            hint="loss.item() is the number; the tensor keeps the whole computation of its step alive."
            if tensors
            else "",
        )
    return list(value)


def rows(notes: Tensor, event: str) -> Tensor:
    """Return the rows of the notes of one batch that are about this event."""
    return notes[notes[:, EVENT] == EVENTS.index(event)]


def events(notes: list[Tensor]) -> list[str]:
    """Return all events in words, in their order."""
    return [EVENTS[int(number)] for one in notes for number in one[:, EVENT].tolist() if number]
