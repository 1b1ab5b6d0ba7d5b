"""Requests in which one thing is another: an argument, the parameters of one part of a module."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.runtime.student import Request

Symptom = tuple[str, str]

#: Of a module with more parts than that, no parameters are changed: each change costs a call.
_MOST_PARTS = 12


#: How often a change must make no difference: a whole number, such as a largest length, often makes none, for many a reason.
ENOUGH, ENOUGH_NUMBERS = 2, 5


def changes(request: Request, function: Any) -> Iterator[tuple[Symptom, int, Request]]:
    """Yield the request with another argument or parameter, after what is said if that makes no difference, and how often it
    has to make none.
    """
    called = function.forward if request.build is not None else function
    names = [each for each in _parameters(called) if each.name != "self"]
    for place, (value, parameter) in enumerate(zip(request.args, names, strict=False)):
        for other in _others(value, parameter.default):
            args = (*request.args[:place], other, *request.args[place + 1 :])
            yield _argument(parameter.name), _enough(value), replace(request, args=args)
    defaults = {parameter.name: parameter.default for parameter in names}
    for name, value in request.kwargs.items():
        for other in _others(value, defaults.get(name, inspect.Parameter.empty)):
            yield _argument(name), _enough(value), replace(request, kwargs={**request.kwargs, name: other})
    for place, (value, parameter) in enumerate(zip(request.build or (), _parameters(function), strict=False)):
        if parameter.default not in (inspect.Parameter.empty, value) and not isinstance(value, Tensor):
            build = (*request.build[:place], parameter.default, *request.build[place + 1 :]) if request.build else None
            yield _argument(parameter.name), ENOUGH, replace(request, build=build)
    weights = request.weights or {}
    parts = dict.fromkeys(name.rpartition(".")[0] or name for name in weights)
    for part in parts if len(parts) <= _MOST_PARTS else ():
        other = {name: another(x) if (name.rpartition(".")[0] or name) == part else x for name, x in weights.items()}
        yield _parameter(part), ENOUGH, replace(request, weights=other)


def _enough(value: Any) -> int:
    return ENOUGH_NUMBERS if isinstance(value, int) and not isinstance(value, bool) else ENOUGH


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _argument(name: str) -> Symptom:
    return (
        f"{name} makes no difference",
        f"With another `{name}` the result should be another, and yours stays the same. Look at where the argument goes.",
    )


def _parameter(name: str) -> Symptom:
    return (
        f"{name} makes no difference",
        f"{name} could hold any numbers, and your result would be the same. Look at what it is applied to, and at what becomes "
        "of that.",
    )


def _others(value: Any, default: Any) -> Iterator[Any]:
    """Yield another value of an argument: its default, if it has one that differs, or one of the same type."""
    if isinstance(value, Tensor):
        yield another(value)
        if not value.is_floating_point() and value.dtype != torch.bool and value.numel() > 1:
            yield _without_the_first(value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float | str) and default not in (inspect.Parameter.empty, None, value):
        yield default
    if isinstance(value, int) and not isinstance(value, bool):
        yield value + 1
        if default in (inspect.Parameter.empty, None, value):  # two others, as of a number with a default
            yield 2 * value + 3
    elif isinstance(value, float):
        yield value / 2 + 0.25


def another(x: Tensor) -> Tensor:
    """Return a tensor of the same shape and type with other numbers; of ids, the same ones in other places."""
    if x.dtype == torch.bool:
        return ~x
    return x.square() + 0.5 if x.is_floating_point() else x.roll(1, -1) if x.dim() else x + 1


def _without_the_first(x: Tensor) -> Tensor:
    """Return whole numbers with the last one in the place of the first: no order of them makes the same."""
    other = x.clone()
    other[(0,) * x.dim()] = x[(-1,) * x.dim()]
    return other


def other_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return two tensors like x whose rows differ from those of x."""
    if not x.is_floating_point():
        return x.roll(1, 1), x.roll(2, 1)
    return x.square() + 0.5, -5 * x.square() - 0.5


def tensors_in(request: Request) -> Mapping[int | str, Tensor]:
    held: list[tuple[int | str, Any]] = [*enumerate(request.args), *request.kwargs.items()]
    return {place: x for place, x in held if isinstance(x, Tensor)}


def with_tensors(request: Request, changed: Mapping[int | str, Tensor]) -> Request:
    args = tuple(changed.get(place, value) for place, value in enumerate(request.args))
    return replace(request, args=args, kwargs={name: changed.get(name, x) for name, x in request.kwargs.items()})
