"""A model of the autograder's own with the weights that were handed in: all held-out scores come from it.

What the student's ``forward`` does is compared on a few inputs and counts for nothing else, so it cannot answer for the weights.
Nothing is built before it is known to hold no more numbers than the file.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import StudentModule
from autograder.runtime.tensors import matching

Weights = Mapping[str, Tensor]
Make = Callable[[], nn.Module]

#: Inputs that a model is given at a time: the activations of the largest models within bounds take about 270 MiB then.
ROWS = 50
#: Largest difference attributed to rounding, as a part of the largest number.
SLACK = 1e-3


class OtherModel(Exception):
    """The weights are not those of the model that is asked for."""


def named(weights: Weights, name: str) -> str:
    """Return the name in ``weights`` that ``name`` refers to: the same, or else the shortest that ends in it (``part.name``).

    Raises OtherModel if there is none.
    """
    found = matching(name, weights)
    if not found:
        raise OtherModel(f"no weight {name}")
    return min(found, key=len)


def sizes(weights: Weights, name: str, axes: int) -> tuple[int, ...]:
    """Return the shape of a weight. Raises OtherModel if there is none of that name with so many axes."""
    shape = tuple(weights[named(weights, name)].shape)
    if len(shape) != axes:
        raise OtherModel(f"{name} of shape {shape}")
    return shape


def count(weights: Weights, name: str) -> int:
    """Return how many numbers 0, 1, 2, … have a weight ``name.format(number)``. Raises OtherModel if there is none."""
    number = 0
    while matching(name.format(number), weights):
        number += 1
    if not number:
        raise OtherModel(f"no weight {name}")
    return number


def divisors(width: int) -> list[int]:
    """Return the numbers of heads that divide a width. The number in use is not in a file of weights."""
    return [heads for heads in range(1, width + 1) if width % heads == 0]


def filled(make: Make, weights: Weights) -> nn.Module:
    """Return ``make()`` with these weights, in eval mode. It is made without memory, and takes the tensors as they are.

    Raises OtherModel unless each of its weights is there, under a name of its own, in its shape.
    """
    with torch.device("meta"):
        model = make()
    wanted = model.state_dict()
    names = {name: named(weights, name) for name in wanted}
    found = {name: weights[own] for name, own in names.items()}
    differing = [
        name for name in wanted if found[name].shape != wanted[name].shape or not found[name].is_floating_point()
    ]
    if differing or len({*names.values()}) < len(names):
        raise OtherModel(", ".join(differing) or "a weight for two places")
    model.load_state_dict(found, assign=True)
    return model.eval().requires_grad_(False)


@torch.no_grad()
def in_parts(compute: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
    """Return ``compute(*inputs)``, given a few rows of the inputs at a time."""
    return torch.cat([compute(*part) for part in zip(*(tensor.split(ROWS) for tensor in inputs), strict=True)])


@dataclass(frozen=True)
class OwnModel:
    """What the exercise ``name`` returns: a ``kind``, one of the models that ``candidates(weights)`` makes.

    Candidates differ in what weights do not tell, such as the number of heads; their weights have the same shapes.
    ``hints`` says for a result which mistake makes that one alone wrong.
    """

    name: str
    kind: str
    candidates: Callable[[Weights], Iterable[Make]]
    hints: Mapping[str, str] = field(default_factory=dict)

    def like(
        self, module: StudentModule, own: Mapping[str, Tensor], compute: Callable[[nn.Module], Mapping[str, Tensor]]
    ) -> nn.Module:
        """Return the candidate with the weights of ``module`` whose results, ``compute(model)``, are the student's, ``own``.

        Raises CheckFailure if there is none.
        """
        weights, differing = module.weights or {}, list(own)
        try:
            for make in self.candidates(weights):
                model = filled(make, weights)
                with torch.no_grad():
                    results = compute(model)
                wrong = [name for name in own if not _same(own[name], results[name])]
                if not wrong:
                    return model
                differing = min(differing, wrong, key=len)
        except OtherModel as error:
            raise self._failure(f"parameters of another model ({error})"[:300], []) from None
        raise self._failure(f"other {' and '.join(differing)}", differing)

    def _failure(self, yours: str, differing: list[str]) -> CheckFailure:
        hint = f"{self.name}() returns {self.kind} with the sizes that were trained, and nothing around it."
        alone = self.hints.get(differing[0], "") if len(differing) == 1 else ""
        return CheckFailure(
            "checkpoint",
            f"{self.name}() does not compute what {self.kind} with these weights computes.",
            received="another model",
            cause=f"not {self.kind} with these weights",
            expected=f"what {self.kind} of any widths gives in eval mode, with the weights of the file",
            yours=yours,
            hint=f"{alone} {hint}".strip(),
        )


def _same(own: Tensor, want: Tensor) -> bool:
    if own.shape != want.shape or not own.is_floating_point():
        return False
    return torch.allclose(own.detach().cpu().float(), want, rtol=SLACK, atol=SLACK * float(want.abs().max()))
