"""Copies of tensors, known settings of PyTorch, and seeds."""

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn


def copy_tensor(tensor: Tensor) -> Tensor:
    """Copy a tensor with its strides and offset, so that a non-contiguous tensor stays non-contiguous."""
    if not tensor.numel() or tensor.is_contiguous():
        return tensor.detach().clone()
    storage = tensor.detach().untyped_storage().clone()
    copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return copy.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


def matching(name: str, own: Iterable[str]) -> list[str]:
    """Return the parameters in ``own`` that ``name`` refers to: of that name, or of a submodule (``part.name``)."""
    part = f".{name}"
    return [key for key in own if key == name or key.endswith(part)]


def is_lazy(tensor: Tensor) -> bool:
    """Return whether this is a parameter of a lazy layer that has not seen its first inputs."""
    return isinstance(tensor, nn.UninitializedParameter)


def tensors_of(value: Any) -> list[Tensor]:
    """Return the tensors in a value or in nested lists and tuples, in order."""
    if isinstance(value, Tensor):
        return [value]
    return [x for item in value for x in tensors_of(item)] if isinstance(value, tuple | list) else []


@contextlib.contextmanager
def known_torch_state() -> Iterator[None]:
    """Record gradients and default to float32 on the CPU, regardless of the notebook's settings."""
    # In PyTorch 2.6, torch.get_default_device() raises where the default has been taken back.
    dtype, device = torch.get_default_dtype(), torch.empty(0).device
    torch.set_default_dtype(torch.float32)
    if device.type != "cpu":  # a default device, even "cpu", makes PyTorch route every call through a Python function
        torch.set_default_device(None)
    try:
        with torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(dtype)
        if device.type != "cpu":
            torch.set_default_device(device)


#: Of every seed: fewer can be tried out in seconds.
BITS = 64


def fresh_seed() -> int:
    """Return the seed in the environment variable ``AUTOGRADER_SEED``, or else an unpredictable one."""
    asked = os.environ.get("AUTOGRADER_SEED", "")
    if asked and not asked.isdigit():
        raise ValueError(f"AUTOGRADER_SEED should be a whole number such as 1729, but is {asked!r}.")
    return int(asked) if asked else secrets.randbits(BITS)
