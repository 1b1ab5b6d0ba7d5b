"""Results of a kind that no check asks for: each function makes one of a right result."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class Subclass(Tensor):
    """A tensor of a class of the student's own."""


def first(change: Callable[[Tensor], Any]) -> Callable[[Any], Any]:
    """Return what changes a result that is a tensor, or the first tensor in it; other results become None."""

    def changed(result: Any) -> Any:
        if isinstance(result, Tensor):
            return change(result)
        if isinstance(result, tuple | list):
            place = next((place for place, part in enumerate(result) if isinstance(part, Tensor)), None)
            if place is not None and type(result) in (tuple, list):
                parts = list(result)
                parts[place] = change(parts[place])
                return type(result)(parts)
        if isinstance(result, dict) and result:
            key = next(iter(result))
            return dict(result) | {key: changed(result[key])}
        return None

    return changed


def inner(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what changes the first part of a result that has parts, or else the whole."""

    def changed(result: Any) -> Any:
        if type(result) in (tuple, list) and result:
            return type(result)([change(result[0]), *result[1:]])
        if type(result) is dict and result:
            key = next(iter(result))
            return result | {key: change(result[key])}
        return change(result)

    return changed


#: Each kind of oddity by its name.
ODD: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda result: None,
    "rows missing": first(lambda x: x[1:] if x.dim() else x[None][1:]),
    "whole numbers": first(lambda x: x.detach().long() if not x.is_complex() else x),
    "meta": first(lambda x: x.detach().to("meta")),
    "a tuple": lambda result: (result,),
    "a pair": lambda result: (result, result),
    "a part that is None": inner(lambda part: None),
    "a part that is text": inner(lambda part: "0.5"),
    "a part that is an object": inner(lambda part: object()),
    "a list": lambda result: [result],
    "no parts": lambda result: type(result)() if type(result) in (tuple, list, dict, str) else (),
    "a dictionary": lambda result: {"result": result},
    "one part more": lambda result: (*result, result[0]) if type(result) is tuple and result else [result, 0],
    "one part less": lambda result: type(result)(result[:-1]) if type(result) in (tuple, list) else result,
    "not a number": first(lambda x: x * float("nan")),
    "infinite": lambda result: float("inf") if isinstance(result, int | float) else first(lambda x: x / 0.0)(result),
    "a whole number in place of another": lambda result: 10**400,
    "complex": first(lambda x: x.detach().to(torch.complex64)),
    "a complex number": lambda result: 1j,
    "empty": first(lambda x: x.detach()[..., :0] if x.dim() else x.detach().reshape(1)[:0]),
    "sparse": first(lambda x: x.detach().to_sparse()),
    "quantised": first(lambda x: torch.quantize_per_tensor(x.detach().float(), 0.1, 0, torch.quint8)),
    "without history": first(lambda x: x.detach()),
    "with a history of its own": first(
        lambda x: x.detach().clone().requires_grad_() if x.is_floating_point() else x.double().requires_grad_()
    ),
    "a subclass": first(lambda x: x.detach().clone().as_subclass(Subclass)),
    "half precision": first(lambda x: x.detach().half() if not x.is_complex() else x),
    "booleans": first(lambda x: x.detach() != 0),
    "one axis more": first(lambda x: x[None]),
    "one axis less": first(lambda x: x[0] if x.dim() and len(x) else x),
    "one number": first(lambda x: x.detach().sum()),
    "a NumPy array": first(lambda x: x.detach().numpy()),
    "lists": first(lambda x: x.detach().tolist()),
    "a negative number": lambda result: -1,
    "an object": lambda result: object(),
    "a function": lambda result: len,
    "a generator": lambda result: (part for part in (result,)),
    "text": lambda result: "a result",
}
