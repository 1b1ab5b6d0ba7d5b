"""Copies of tensors, and parameters by name."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:  # where students' code runs, there is no lesson
    pass


def copy_tensor(tensor: Tensor) -> Tensor:
    """Copy a tensor together with its strides and offset, so that a non-contiguous tensor stays one."""
    if not tensor.numel() or tensor.is_contiguous():
        return tensor.detach().clone()
    storage = tensor.detach().untyped_storage().clone()
    copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return copy.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


def matching(name: str, own: Iterable[str]) -> list[str]:
    """Return the parameters in ``own`` that are meant by ``name``: of that name, or of a part of the module (``part.name``)."""
    part = f".{name}"
    return [key for key in own if key == name or key.endswith(part)]
