"""Shared checks of modules: a student's module and a reference with the same weights, and their comparison."""

import contextlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import expect
from autograder.checks.modes import RANDOM, RANDOM_HINT, BothModes
from autograder.checks.results import alike, describe, equal
from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Answer, Student, StudentModule
from autograder.runtime.tensors import matching


class Twins:
    """A student's module ``name(*build)`` and a reference, both with the weights drawn here, in eval mode."""

    def __init__(
        self,
        student: Student,
        name: str,
        build: tuple,
        reference: nn.Module,
        draw: Any,
        dtype: torch.dtype = torch.float64,
        weights: Mapping[str, Tensor] | None = None,
    ):
        self.reference = reference.to(dtype).eval()
        own = dict(self.reference.named_parameters())
        self.weights = {key: drawn(key, value, draw).to(dtype) for key, value in own.items()} | dict(weights or {})
        with torch.no_grad():
            for key, value in self.weights.items():
                own[key].copy_(value)
        made = student.build(name, *build, weights=self.weights)
        self.module: StudentModule = made if _drops(reference) else BothModes.of(made)
        self.name, self.build = name, build

    def agree(self, *inputs: Any, what: Sequence[str], size: float = 4.0, setting: str = "", **options: Any) -> Any:
        """Compare all results for these inputs, and for the first of the batch alone; ``what`` names them in order.

        Returns the student's.
        """
        for fewer, with_options in alone(inputs, options):
            self._agree(
                fewer, with_options, what, size, f"{setting or describe(*inputs)}, the first of the batch alone"
            )
        return self._agree(inputs, options, what, size, setting or describe(*inputs))

    def _agree(self, inputs: tuple, options: Mapping[str, Any], what: Sequence[str], size: float, setting: str) -> Any:
        with torch.no_grad():
            want = self.reference(*inputs, **options)
        got = self.module(*inputs, **options)
        with explained_if_random(self.module, got, *inputs, **options):
            alike(got, want, what, size, setting)
        if options:
            self._agree_by_place(inputs, options, want, what, size, setting)
        return got

    def _agree_by_place(
        self, inputs: tuple, options: Mapping[str, Any], want: Any, what: Sequence[str], size: float, setting: str
    ) -> None:
        """Compare a call with the options at their places instead of their names; it changes none of its arguments."""
        parameters = inspect.signature(self.reference.forward).parameters
        names = list(parameters)[: max(list(parameters).index(name) for name in options) + 1]
        given = (*inputs, *(options.get(name, parameters[name].default) for name in names[len(inputs) :]))
        answer = self.module.request(*given)
        alike(answer.value, want, what, size, f"{setting}, called as forward({', '.join(names)})")
        expect.unchanged(given, answer.args_after, names)

    def gradients_agree(
        self, *inputs: Tensor, draw: Any, names: Sequence[str], outputs: int = 1, setting: str = "", **options: Any
    ) -> None:
        """Compare the gradients with respect to the inputs (``names``) and all parameters, for the first ``outputs`` results."""
        leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
        results = self.reference(*leaves, **options)
        results = (results if isinstance(results, tuple) else (results,))[:outputs]
        cotangents = tuple(draw.normal(*result.shape) for result in results)
        answer = self.module.request(*inputs, cotangents=cotangents, **options)
        total = sum((out * c).sum() for out, c in zip(results, cotangents, strict=True))
        parameters = dict(self.reference.named_parameters())
        wanted = [x for x in leaves if x.requires_grad]
        want = torch.autograd.grad(total, [*wanted, *parameters.values()])
        found = [*answer.gradients, *parameter_gradients(answer, parameters)]
        with explained_if_random(self.module, None, *inputs, **options):
            expect.gradients(found, want, (*names, *parameters), setting or describe(*inputs))


def alone(inputs: tuple, options: Mapping[str, Any]) -> Iterator[tuple[tuple, dict[str, Any]]]:
    """Yield the inputs with a batch of one, if the first input has a batch of several.

    Ids, vectors and caches are cut along their first axis, masks of three axes or more too. A mask of two axes may be one for
    each of the batch or one for all: then nothing is yielded.
    """
    first = inputs[0]
    if not isinstance(first, Tensor) or first.dim() < (3 if first.is_floating_point() else 2) or first.shape[0] < 2:
        return
    batch = first.shape[0]
    given = (*inputs, *options.values())
    if any(isinstance(x, Tensor) and x.dtype == torch.bool and x.dim() == 2 and x.shape[0] == batch for x in given):
        return

    def cut(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(map(cut, value))
        if not isinstance(value, Tensor) or not value.dim() or value.shape[0] != batch:
            return value
        return value[:1] if value.dtype != torch.bool or value.dim() > 2 else value

    yield tuple(map(cut, inputs)), {name: cut(value) for name, value in options.items()}


def _drops(reference: nn.Module) -> bool:
    """Return whether a reference has a dropout, as a layer or as a probability, that is not 0."""
    return any(
        (isinstance(part, nn.Dropout) and part.p > 0) or (isinstance(p := getattr(part, "dropout", 0), float) and p > 0)
        for part in reference.modules()
    )


@contextlib.contextmanager
def explained_if_random(module: StudentModule, got: Any, *inputs: Any, **options: Any) -> Iterator[None]:
    """If the same call gives different values each time, add that as the cause to a failure about values.

    ``got`` is the earlier result of the call; None if it has not been made.
    """
    try:
        yield
    except CheckFailure as failure:
        if failure.kind != "value":
            raise
        before = module(*inputs, **options) if got is None else got
        if not equal(before, module(*inputs, **options)):
            failure.kind, failure.cause, failure.hint = "random", RANDOM, RANDOM_HINT
        raise


def parameter_gradients(answer: Answer, names: Sequence[str] | Mapping[str, Any]) -> list[Tensor | None]:
    """Return the student's gradients of the parameters that these names refer to."""
    own = answer.parameter_gradients
    return [next((own[key] for key in matching(name, own)), None) for name in names]


def drawn(name: str, like: Tensor, draw: Any) -> Tensor:
    """Draw weights large enough to reveal a mistake: matrices that give results of order 1, vectors well away from 0 and 1."""
    if like.dim() >= 2:
        return draw.normal(*like.shape, scale=like[0].numel() ** -0.4)
    return draw.normal(*like.shape, scale=0.4) + (1.0 if name.endswith("gamma") else 0.0)


def _shapes(values: Sequence[Any]) -> list[Any]:
    return [x.shape if isinstance(x, Tensor) else None for x in values]


def leaves_no_trace(twins: Twins, others: Sequence[tuple], *inputs: Any, what: Sequence[str]) -> None:
    """Compare a call with the reference after the same module has processed other inputs. A result that is wrong even
    without them is reported as a wrong value only."""
    # Last come those of the same shape: what is kept for a shape is then still there.
    others = sorted(others, key=lambda other: _shapes(other) == _shapes(inputs))
    _unaffected(twins, others, inputs, what)
    for call in others:  # what is kept for calls of this kind only
        _unaffected(twins, [tuple(map(_with_other_numbers, call))], call, what)


def _with_other_numbers(value: Any) -> Any:
    """Return an argument of the same shape with other numbers; a mask stays as it is."""
    if not isinstance(value, Tensor) or value.dtype == torch.bool:
        return value
    return value.square() + 0.5 if value.is_floating_point() else value.roll(1, -1)


def _unaffected(twins: Twins, others: Sequence[tuple], inputs: tuple, what: Sequence[str]) -> None:
    got = twins.module.when(before=others).request(*inputs).value
    with torch.no_grad():
        want = twins.reference(*inputs)
    try:
        alike(got, want, what, 4.0, "after calls of the same module with other inputs")
    except CheckFailure as failure:
        if equal(got, twins.module(*inputs)):
            failure.setting = ""
            raise
        failure.kind, failure.cause = "memory", "remembers earlier calls"
        failure.hint = (
            "Something made in an earlier call is kept and used again. Make it afresh from the inputs in every call."
        )
        raise
