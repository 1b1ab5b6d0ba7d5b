"""Copies of tensors, and parameters by name."""

from collections.abc import Iterable
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
