"""Carry out a request: build the student's module, load weights by name, take gradients."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.runtime.failure import CheckFailure, nothing_returned
from autograder.runtime.student import Answer, Request
from autograder.runtime.tensors import copy_tensor, is_lazy, tensors_of
from autograder.runtime.watch import watch


def leaf(value: Any, request: Request) -> Any:
    """Copy a tensor argument; if gradients are wanted, make a floating-point copy a leaf that records them."""
    if not isinstance(value, Tensor):
        return value
    copy = copy_tensor(value) if request.device is None else value.detach().to(request.device, copy=True)
    return copy.requires_grad_() if request.cotangents is not None and copy.is_floating_point() else copy


def find(namespace: Mapping[str, Any], name: str) -> Callable[..., Any]:
    """Return the student's function or class of this name. Raises CheckFailure if there is none."""
    if name not in namespace:
        similar = difflib.get_close_matches(name, [key for key in namespace if not key.startswith("_")], 1, 0.85)
        raise CheckFailure(
            "missing",
            f"There is no {name} yet: no cell that has run defines it.",
            hint=f"There is a {similar[0]}: is the name mistyped?"
            if similar
            else "Run the cell that defines it, or look for an error message under that cell.",
            cause="not defined",
        )
    target = namespace[name]
    if not callable(target):
        raise CheckFailure(
            "missing",
            f"{name} is not a function or a class.",
            yours=f"a {type(target).__name__}",
            cause="not defined",
        )
    return target


def loaded(module: Any, request: Request) -> nn.Module:
    """Load the request's weights into what the student's class has made, and choose device and mode."""
    if not isinstance(module, nn.Module):
        raise CheckFailure(
            "type",
            f"{request.name}(...) should make an nn.Module.",
            yours=f"a {type(module).__name__}",
            cause="not a module",
        )
    if request.weights:
        _load(module, request.name, request.weights)
    if request.device is not None:
        module.to(request.device)
    return module.train(request.training)


def _load(module: nn.Module, name: str, weights: Mapping[str, Tensor]) -> None:
    """Copy the weights into the parameters whose names end in the given names, and adopt the weights' dtype."""
    own = _by_name(module)
    first = _by_ending(own)
    _settle(own, {first[key]: tensor for key, tensor in weights.items() if key in first})
    for key, tensor in weights.items():
        if key not in first:
            raise CheckFailure(
                "parameters",
                f"{name} has no parameter {key}.",
                expected=", ".join(weights),
                yours=", ".join(own) or "no parameters",
                received=sorted(own),
            )
        shape = tuple(own[first[key]].shape)
        if shape != tensor.shape:
            raise CheckFailure(
                "parameters",
                f"The parameter {key} of {name} has another shape.",
                expected=str(tuple(tensor.shape)),
                yours=str(shape),
                received=[*shape],
            )
    for key, parameter in own.items():
        # The parameter check reports an extra bias. A buffer of that name is none: GPT-2 keeps its causal mask in one.
        if key.endswith("bias") and isinstance(parameter, nn.Parameter) and not is_lazy(parameter):
            nn.init.zeros_(parameter)
    module.to(next(iter(weights.values())).dtype)
    own = _by_name(module)
    with torch.no_grad():
        for key, tensor in weights.items():
            own[first[key]].copy_(tensor)


def _by_ending(own: Iterable[str]) -> dict[str, str]:
    """Return, for each name of a parameter and each ending of one (``part.name``), the first full name."""
    first: dict[str, str] = {}
    for key in own:
        parts = key.split(".")
        for start in range(len(parts)):
            first.setdefault(".".join(parts[start:]), key)
    return first


def _settle(own: Mapping[str, Tensor], weights: Mapping[str, Tensor]) -> None:
    """Give lazy parameters the shapes of their weights: they would get them from the first inputs."""
    for key, tensor in weights.items():
        parameter: Any = own[key]
        if is_lazy(parameter):
            parameter.materialize(tensor.shape)


def parameters_of(module: nn.Module) -> dict[str, Tensor]:
    """Return all parameters by name, also those that the student's own ``named_parameters`` leaves out; shared ones once.

    One that has no shape before the first inputs, as in ``nn.LazyLinear``, is returned as an empty tensor.
    """
    named: dict[str, Tensor] = {**dict(nn.Module.named_parameters(module)), **dict(module.named_parameters())}
    known = {id(parameter) for parameter in named.values()}
    state = nn.Module.state_dict(module, keep_vars=True).items()
    named |= {key: one for key, one in state if isinstance(one, nn.Parameter) and id(one) not in known}
    return {key: torch.empty(0) if is_lazy(one) else one for key, one in named.items()}


def add_gradients(answer: Answer, request: Request) -> None:
    if answer.value is None:
        raise nothing_returned()
    _require_no_gradients_left(answer, request)
    outputs = answer.value if isinstance(answer.value, tuple | list) else [answer.value]
    pairs = list(zip(outputs, request.cotangents or (), strict=False))
    if not any(isinstance(out, Tensor) and out.requires_grad for out, _ in pairs):
        raise CheckFailure(
            "detached",
            f"No gradient flows back through {request.name}.",
            cause="no gradient",
            hint="The result has lost its history. Look for .detach(), .data, .item(), .numpy(), torch.tensor(...) or "
            "torch.no_grad() on the way from the inputs to the result.",
        )
    for out, cotangent in pairs:
        if isinstance(out, Tensor) and out.shape != cotangent.shape:
            raise CheckFailure(
                "shape",
                f"A result of {request.name} has the wrong shape.",
                expected=str(tuple(cotangent.shape)),
                yours=str(tuple(out.shape)),
                received=list(out.shape),
            )
    wanted = [arg for arg in tensors_of(answer.args_after) if arg.requires_grad]
    flowing = [(out * cotangent).sum() for out, cotangent in pairs if isinstance(out, Tensor) and out.requires_grad]
    with watch(f"the backward pass through {request.name}"):
        found = torch.autograd.grad(flowing, [*wanted, *answer.parameters.values()], allow_unused=True)
    answer.gradients = list(found[: len(wanted)])
    answer.parameter_gradients = dict(zip(answer.parameters, found[len(wanted) :], strict=True))


def _require_no_gradients_left(answer: Answer, request: Request) -> None:
    """Raise CheckFailure if the call has run a backward pass into an argument: .grad belongs to whoever trains with it."""
    if any(arg.is_leaf and arg.grad is not None for arg in tensors_of(answer.args_after)):
        raise CheckFailure(
            "mutated",
            f"{request.name} leaves gradients in its arguments.",
            expected="arguments whose .grad is None, as before",
            received="grad",
            cause="gradients left in the arguments",
            hint="A backward() inside the function runs on into what it was given. Cut the arguments off with .detach() first.",
        )


def _by_name(module: nn.Module) -> dict[str, Tensor]:
    """Return parameters and buffers by name; a shared one appears under all its names."""
    return dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
