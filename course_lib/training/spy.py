"""A model, a loss, an optimiser and a schedule that record their use, to inspect a training loop.

    model, notes = SpyModel(torch.zeros(3)), torch.zeros(20, 7)
    train(model, SpyLoss(), [(X, y, notes)], SpyOptimizer("SGD"), SpyRate([0.1]))
    print(read_notes(notes))

Every row of `notes` is one event: its number among EVENTS, the learning rate, the norm of the gradient, and the parameters.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

EVENTS = ("", "train", "eval", "forward", "forward in evaluation mode", "backward", "zero_grad", "step")


class SpyModel(nn.Module):
    """Linear regression, X @ weight + bias. Notes train, eval, forward, backward and zero_grad."""

    def __init__(self, weight: Float[Tensor, " D"], training: bool = True):
        super().__init__()
        self.training = training
        self.waiting: list[Tensor] = []  # events before there are notes to write them into
        self.notes: Tensor | None = None
        self.weight, self.bias = nn.Parameter(weight.clone()), nn.Parameter(weight.new_zeros(1))
        self.bias.register_post_accumulate_grad_hook(lambda _: self.note("backward"))
        for parameter in self.parameters():
            parameter.spy = self.note  # type: ignore[attr-defined]  # the way from an optimiser to its model

    def forward(self, X: Float[Tensor, "B D"]) -> Float[Tensor, " B"]:
        """Return one number for each row."""
        self.note("forward" if self.training else "forward in evaluation mode")
        return X @ self.weight + self.bias

    def train(self, mode: bool = True) -> "SpyModel":
        """Note the mode, and change it."""
        if hasattr(self, "notes"):
            self.note("train" if mode else "eval")
        return super().train(mode)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Note the call, and clear the gradients."""
        self.note("zero_grad")
        super().zero_grad(set_to_none)

    @torch.no_grad()
    def note(self, event: str, rate: float = 0.0) -> None:
        """Write an event into the next free row of the notes; without notes, it is lost."""
        gradients = [parameter.grad for parameter in (self.weight, self.bias) if parameter.grad is not None]
        norm = torch.cat(gradients).norm() if gradients else self.bias.new_zeros(())
        row = torch.cat((self.bias.new_tensor([EVENTS.index(event), rate]), norm[None], self.weight, self.bias))
        self.waiting.append(row)
        if self.notes is not None:
            free = (self.notes[:, 0] == 0).nonzero()[:, 0]
            for place, event_row in zip(free.tolist(), self.waiting, strict=False):
                self.notes[place] = event_row
            self.waiting = []


class SpyLoss:
    """Mean squared error for a batch (X, y, notes); from here on, events are written into these notes."""

    def __call__(self, model: SpyModel, batch: Sequence[Tensor]) -> Float[Tensor, ""]:
        """Return the loss of a batch."""
        X, y, model.notes = batch
        return ((model(X) - y) ** 2).mean()


class SpyOptimizer:
    """A factory of optimisers, such as "SGD" or "Adam", that note zero_grad and step. `groups`: one group per parameter."""

    def __init__(self, kind: str = "SGD", groups: bool = False):
        self.kind, self.groups = kind, groups

    def __call__(self, parameters: Iterable[nn.Parameter], **options: Any) -> torch.optim.Optimizer:
        """Return the optimiser for the parameters of a SpyModel."""
        given = list(parameters)
        note: Callable[..., None] = given[0].spy  # type: ignore[attr-defined]  # SpyModel put it there

        class Spied(getattr(torch.optim, self.kind)):  # type: ignore[misc]  # the base is known only by name
            def zero_grad(self, set_to_none: bool = True) -> None:
                note("zero_grad")
                super().zero_grad(set_to_none)

            def step(self, closure: Any = None) -> Any:
                loss = None
                if closure is not None:  # forward and backward, before the parameters move
                    with torch.enable_grad():
                        loss = closure()
                note("step", self.param_groups[-1]["lr"])
                super().step()
                return loss

        made: torch.optim.Optimizer = Spied([{"params": [one]} for one in given] if self.groups else given, **options)
        return made


class SpyBatches:
    """Batches that can be gone through and have no length, as those of a generator."""

    def __init__(self, batches: Sequence[Any]):
        self.batches = batches

    def __iter__(self) -> Iterator[Any]:
        """Return the batches one after the other."""
        yield from self.batches


class SpyRate:
    """The learning rate of step 1, 2, …, from a list. Raises ValueError for any other step."""

    def __init__(self, rates: Sequence[float]):
        self.rates = list(rates)

    def __call__(self, step: int) -> float:
        """Return the rate of a step."""
        if not 1 <= step <= len(self.rates):
            raise ValueError(f"Expected steps from 1 to {len(self.rates)}, got {step}.")
        return self.rates[step - 1]


def read_notes(notes: Float[Tensor, "rows columns"]) -> list[str]:
    """Return the events in words, in their order."""
    return [EVENTS[int(number)] for number in notes[:, 0] if number]
