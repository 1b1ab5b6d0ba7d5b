"""The general promises of every exercise: arguments stay unchanged, and may have any memory order.

:class:`~autograder.runtime.local.LocalStudent` watches every call for them. A breach does not fail the check that made the call,
since that check's property may hold: it is reported beside the result, and costs the points of one check of the exercise.
"""

import functools
import inspect
import itertools
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import by_ending, copy_tensor
from autograder.runtime.student import Constructed, SeededGenerator, StandIn


@functools.cache
def _orders(axes: int) -> list[tuple[int, ...]]:
    """Return the memory orders in which no axis directly precedes its successor, so that no view can merge the two."""
    return [
        order
        for order in itertools.permutations(range(axes))
        if all(after - before != 1 for before, after in itertools.pairwise(order))
    ]


def reordered(tensor: Tensor) -> Tensor:
    """Copy a tensor into a random memory order, determined by its numbers and so by the seed.

    A non-contiguous tensor keeps its order; a vector has only one.
    """
    wide = [axis for axis, length in enumerate(tensor.shape) if length > 1]
    if not 2 <= len(wide) <= 6 or not tensor.numel() or not tensor.is_contiguous() or tensor.is_meta:
        return copy_tensor(tensor)
    drawn = zlib.crc32(bytes(tensor.detach().reshape(-1)[:8].cpu().view(torch.uint8).tolist()))
    orders = _orders(len(wide))
    order = [wide[place] for place in orders[drawn % len(orders)]]
    order += [axis for axis in range(tensor.dim()) if axis not in wide]
    back = sorted(range(tensor.dim()), key=order.__getitem__)
    return tensor.detach().permute(order).clone(memory_format=torch.contiguous_format).permute(back)


class _State(dict[str, Any]):
    """The state of a constructed object that a call must not change: numbers, modes, and trainable parameters, by name."""


def snapshot(given: Any, made: Any) -> Any:
    """Copy the argument ``made`` before the call. Tensors need no copy, since the call gets copies of those in ``given``."""
    if isinstance(given, Constructed):
        state = _state(made).items()
        return _State({name: value.detach().clone() if isinstance(value, Tensor) else value for name, value in state})
    if isinstance(given, tuple | list):
        return list(map(snapshot, given, made))
    return {key: snapshot(value, made[key]) for key, value in given.items()} if isinstance(given, dict) else given


def _state(obj: Any) -> dict[str, Any]:
    """Return the tensors and plain values of an object; of a model also each module's mode and each ``requires_grad``."""
    kinds = Tensor if isinstance(obj, nn.Module) else (Tensor, bool, int, float, str, tuple)
    values = {name: value for name, value in getattr(obj, "__dict__", {}).items() if isinstance(value, kinds)}
    if not isinstance(obj, nn.Module):
        return values
    modes = {f"{name}.training".lstrip("."): submodule.training for name, submodule in nn.Module.named_modules(obj)}
    learns = {f"{name}.requires_grad": parameter.requires_grad for name, parameter in nn.Module.named_parameters(obj)}
    return values | nn.Module.state_dict(obj, keep_vars=True) | modes | learns


def changed(before: Any, after: Any, name: str, records: bool, may_change: tuple[str, ...] = ()) -> str:
    """Return the name of the first part of an argument that a call has changed without permission; "" if there is none.

    With ``records``, floating-point tensors recorded gradients before the call.
    """
    if name in may_change:
        return ""
    if isinstance(before, Tensor):
        if not _same(before, after):
            return name
        return "" if after.requires_grad == (records and before.is_floating_point()) else f"{name}.requires_grad"
    if isinstance(before, _State):
        state = _state(after)
        return next((f"{name}.{key}" for key, old in before.items() if not _same(old, state.get(key))), "")
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        before, after = dict(enumerate(before)), dict(enumerate(after))
    if not isinstance(before, dict) or not isinstance(after, dict):
        same = before is after or isinstance(before, SeededGenerator | StandIn) or _same(before, after)
        return "" if same else name
    if before.keys() != after.keys():
        return name
    parts = (changed(before[key], after[key], f"{name}[{key!r}]", records, may_change) for key in before)
    return next(filter(None, parts), "")


def _same(old: Any, new: Any) -> bool:
    if not isinstance(old, Tensor) or not isinstance(new, Tensor):
        return type(old) is type(new) and bool(old == new)
    if (old.shape, old.dtype) != (new.shape, new.dtype):
        return False
    if old.is_meta or new.is_meta:
        return True
    old, new = old.detach().to(new.device), new.detach()
    return torch.equal(old, new) or torch.equal(old.nan_to_num(), new.nan_to_num())


def names_of(target: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the first ``count`` parameters of a function, or of the forward of a module."""
    try:
        parameters = [
            *inspect.signature(target.forward if isinstance(target, nn.Module) else target).parameters.values()
        ]
    except (TypeError, ValueError):
        parameters = []
    names = [
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return [*names, *(f"argument {number}" for number in range(len(names) + 1, count + 1))][:count]


def breach(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any], records: bool, may_change: tuple[str, ...]
) -> CheckFailure | None:
    """Return the failure of a call that has changed an argument without permission; None if it has not.

    may_change: see :class:`~autograder.runtime.student.Request`; the names of the arguments are those in the student's code.
    """
    part = ""
    for place, argument in enumerate(before):
        allowed_parts = tuple(
            f"{argument}{allowed.removeprefix(str(place))}"
            for allowed in may_change
            if allowed.split("[")[0] == str(place)
        )
        part = part or changed(before[argument], after[argument], argument, records, allowed_parts)
    if not part:
        return None
    return _changed(
        name,
        f"its {part}" if part.startswith("argument ") else f"its argument {part}",
        part,
        "input changed in place",
        f"Look for code that writes into {part}, the caller's own: an assignment to a part of it, -=, *=, a method "
        "whose name ends in an underscore, and for a list or dictionary append, pop, sort or update. Create a new "
        "one instead.",
    )


def module_breach(name: str, module: nn.Module, weights: Mapping[str, Tensor], training: bool) -> CheckFailure | None:
    """Return the failure of a module whose call has changed its mode, or one of the ``weights`` that were loaded."""
    if any(submodule.training != training for submodule in nn.Module.modules(module)):
        hint = "The caller of the module chooses its mode. Remove train() and eval() from forward."
        return _changed(name, "its own mode (training or evaluation)", "mode", "mode changed", hint)
    parameters = dict(nn.Module.named_parameters(module, remove_duplicate=False))
    full = by_ending(parameters) if weights else {}
    # Of several names of one parameter the last was written.
    written = {id(parameters[full[key]]): key for key in weights if key in full}
    for key in written.values():
        if not _same(weights[key], parameters[full[key]]):
            hint = f"Only an optimiser changes parameters. Compute with {key}, and leave it as it is."
            return _changed(name, f"its own parameter {key}", key, "parameter changed in place", hint)
    return None


def default_breach(name: str, kinds: Sequence[str]) -> CheckFailure | None:
    """Return the failure of a call that has changed a default of PyTorch, the device or the dtype."""
    if not kinds:
        return None
    instead = 'Use torch.device("meta"), or another device, in a with statement, which restores the old one at its end.'
    hint = f"Every tensor created afterwards, anywhere in the notebook, gets this {kinds[0]}. " + (
        instead if kinds[0] == "device" else "Pass dtype=… to the call that creates the tensor."
    )
    return _changed(name, f"PyTorch's default {kinds[0]}", kinds[0], f"default {kinds[0]} changed", hint)


def _changed(name: str, description: str, received: str, cause: str, hint: str) -> CheckFailure:
    message = f"{name} has changed {description}."
    return CheckFailure("mutated", message, expected="all as it was", received=received, cause=cause, hint=hint)


def depends_on_memory(name: str, error: CheckFailure) -> CheckFailure:
    """Return the failure of a call that raises ``error`` unless its arguments are contiguous in memory."""
    as_other_dtype = "different element sizes" in error.yours
    return CheckFailure(
        "layout",
        f"{name} stops if an argument is not contiguous in memory, as a transposed one: {error.message}",
        expected="the same result for any order of memory",
        yours=error.yours,
        received="layout",
        cause="view of a non-contiguous tensor",
        hint="The function needs contiguous memory: call .contiguous() before .view(dtype)."
        if as_other_dtype
        else "The function needs contiguous memory: use .reshape(...) instead of .view(...).",
    )
