"""Official solutions that break one general promise: one argument is changed in place, or seen through ``view``."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def changed(value: Any) -> bool:
    """Change an argument in place; return whether there is anything in it that can be changed."""
    if isinstance(value, Tensor):
        with torch.no_grad():
            value.logical_not_() if value.dtype == torch.bool else value.add_(1)
        return value.numel() > 0
    if isinstance(value, nn.Module):
        value.train(not value.training)
        return True
    if isinstance(value, list):
        value.append(value[-1] if value else 0)
        return True
    if isinstance(value, tuple):
        return sum(map(changed, value)) > 0
    if isinstance(value, dict):
        value["a new key"] = 0
    return isinstance(value, dict)


def copied(value: Any) -> Any:
    """Copy tensors with their history, lists and dictionaries."""
    if isinstance(value, Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return type(value)(map(copied, value)) if isinstance(value, tuple | list) else value


def viewed(value: Any) -> bool:
    """See an argument through ``view``; return whether it has an order of memory at all."""
    if isinstance(value, tuple | list):
        return sum(map(viewed, value)) > 0
    if not isinstance(value, Tensor):
        return False
    value.view(-1)
    return sum(length > 1 for length in value.shape) > 1


#: What is done with an argument, and whether before the solution is called.
BREACHES: dict[str, tuple[Callable[[Any], bool], bool]] = {"mutated": (changed, False), "layout": (viewed, True)}


class Breaking:
    """A ``solution``, a function or the class of a module, that also does something with its argument of this ``name``."""

    def __init__(self, solution: Any, name: str, kind: str):
        self.met = False
        do, first = BREACHES[kind]
        call = solution.forward if isinstance(solution, type) else solution
        signature = inspect.signature(call)

        @functools.wraps(call)
        def broken(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            given = bound.arguments.get(name)
            if first:
                self.met |= do(given)
            elif name in bound.arguments:  # a result may be a view of the argument, and stays right
                bound.arguments[name] = copied(given)
            result = call(*bound.args, **bound.kwargs)
            if not first:
                self.met |= do(given)
            return result

        self.answer = (
            type(solution.__name__, (solution,), {"forward": broken}) if isinstance(solution, type) else broken
        )


def arguments(solution: Any) -> list[str]:
    """Return the names of the arguments of a function, or of the forward of a module."""
    call = solution.forward if isinstance(solution, type) else solution
    return [name for name in inspect.signature(call).parameters if name != "self"]
