"""A model's weights by name: tied ones once, and loaded into a model only after everything was checked."""

import re
from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.training.errors import CheckpointError, quoted, some
from course_lib.training.files import Tensors

Aliases = dict[str, str]  # another name of a tied tensor → the name that it is kept under


def tied_names(model: nn.Module) -> Aliases:
    """Map every further name of a tensor of `model`, as with tied embeddings, to its first name."""
    first: dict[tuple[object, ...], str] = {}
    aliases = {}
    for name, tensor in tensors_of(model).items():
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.device)
        if tensor.numel() and first.setdefault(place, name) != name:
            aliases[name] = first[place]
    return aliases


def tensors_of(model: Any) -> Tensors:
    """Return `model.state_dict()`, or raise CheckpointError if there is more in it than plain tensors with values."""
    state = dict(model.state_dict())
    odd = [name for name, value in state.items() if not _plain(value)]
    if odd:
        raise CheckpointError(
            f"Expected the state of {type(model).__name__} to be dense tensors with values, got something else under "
            f"{some(odd)}. Make it a parameter or a buffer, or run the model once if its sizes are not known before."
        )
    return state


def _plain(value: object) -> bool:
    if not isinstance(value, Tensor) or nn.parameter.is_lazy(value):
        return False
    return value.layout == torch.strided and not value.is_meta


def copy_weights(model: nn.Module, device: str | torch.device | None = None) -> Tensors:
    """Return a copy of the weights of `model` on `device` (by default, where each is), tied ones only once."""
    aliases = tied_names(model)
    return {
        name: tensor.detach().to(device or tensor.device, copy=True).contiguous()
        for name, tensor in tensors_of(model).items()
        if name not in aliases
    }


def check_numbers(model: nn.Module | None, weights: Tensors) -> None:
    """Raise CheckpointError if there is a NaN among `weights`, or an infinity among the parameters of `model`.

    Buffers may hold infinities: a mask that is added to similarities does.
    """
    parameters = set() if model is None else {name for name, _ in model.named_parameters(remove_duplicate=False)}
    wrong = [name for name, tensor in weights.items() if _broken(tensor, name in parameters)]
    if wrong:
        raise CheckpointError(
            f"Expected finite weights, got NaN or infinity in {some(wrong)}. Training has diverged: begin "
            "anew (resume=False), with a lower learning_rate, more warmup or a smaller clip."
        )


def _broken(tensor: Tensor, parameter: bool) -> bool:
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return False
    numbers = tensor.float() if tensor.element_size() == 1 else tensor  # torch does not support this for 8-bit floats
    return not bool(numbers.isfinite().all()) if parameter else bool(numbers.isnan().any())


def unwrapped(weights: Tensors, wanted: Collection[str] = ()) -> Tensors:
    """Return `weights` under the names that they had before `torch.compile` or `DataParallel` wrapped the model.

    The latter's prefix may also be a name in the model itself, so it is removed only if the `wanted` names lack it.
    """
    names = {name: re.sub(r"(^|\.)_orig_mod\.", r"\1", name) for name in weights}
    parallel = all(name.startswith(_PARALLEL) for name in names.values())
    if wanted and parallel and not any(name.startswith(_PARALLEL) for name in wanted):
        names = {name: shown.removeprefix(_PARALLEL) for name, shown in names.items()}
    if len({*names.values()}) < len(names) or any("_orig_mod." in name for name in wanted):
        return weights
    return {names[name]: tensor for name, tensor in weights.items()}


_PARALLEL = "module."


def put_weights(model: nn.Module, weights: Tensors, source: str) -> None:
    """Put `weights` into `model`, on its devices and in its dtypes.

    Raises CheckpointError, before anything is changed, if a name is missing or unexpected, a shape or a kind of number
    is another, tied weights differ, or a number is not finite. `source` is what the error calls the weights.
    """
    state, tied = tensors_of(model), tied_names(model)
    given = dict(weights)
    # Of tied weights, a file may hold one name, or several.
    given |= {first: given[name] for name, first in tied.items() if name in given and first not in given}
    given |= {name: given[first] for name, first in tied.items() if first in given and name not in given}
    problems = _differences(state, given, tied)
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise CheckpointError(
            f"The weights of {source} do not fit this {type(model).__name__}, which was left as it is:\n{lines}\n"
            "Build the model with the same code and the same options as the one that was saved."
        )
    fitting = {name: given[name].to(state[name].dtype) for name in state}
    check_numbers(model, fitting)
    model.load_state_dict(fitting)


def _differences(state: Tensors, given: Tensors, tied: Aliases) -> list[str]:
    missing, unexpected = state.keys() - given.keys(), given.keys() - state.keys()
    problems = [f"missing: {some(missing)}"] if missing else []
    problems += [f"unexpected: {some(unexpected)}"] if unexpected else []
    for name in state.keys() & given.keys():
        expected, got = state[name], given[name]
        if expected.shape != got.shape:
            problems.append(f"{quoted(name)}: expected shape {tuple(expected.shape)}, got {tuple(got.shape)}")
        elif expected.dtype != got.dtype and not (expected.is_floating_point() and got.is_floating_point()):
            problems.append(f"{quoted(name)}: expected {expected.dtype}, got {got.dtype}")
        elif name in tied and not _same(got, given.get(tied[name])):
            problems.append(
                f"{quoted(name)} is tied to {quoted(tied[name])} in the model, but differs from it in the file"
            )
    return sorted(problems[:2]) + sorted(problems[2:])[:6]


def _same(one: Tensor, other: Tensor | None) -> bool:
    return other is not None and (one is other or (one.dtype == other.dtype and torch.equal(one, other)))
