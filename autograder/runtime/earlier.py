"""Calls that are made before the one that counts, in the same memory."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from autograder.runtime.student import Request


def call_before(target: Any, request: Request, args: tuple, prepared: Callable[[tuple], tuple]) -> None:
    """Make the earlier calls; of a module in training mode first, since what is kept there may be used in eval mode.

    Numbers that fit into the tensors of ``args`` stand in these meanwhile: memory is used again, and who keeps results by the
    address of the inputs has stale ones then. Where the allocator places tensors is no matter of luck here.
    """
    module = target if isinstance(target, nn.Module) else None
    for mode in (True, request.training) if module is not None else (False,):
        if module is not None:
            module.train(mode)
        for earlier in request.before:
            with _standing_in(args, prepared(earlier)) as inputs:
                target(*inputs)


@contextlib.contextmanager
def _standing_in(args: tuple, others: tuple) -> Iterator[list[Any]]:
    """Write the tensors of ``others`` into those of ``args`` that are alike, and give back what stood there afterwards."""
    inputs, kept = list(others), []
    with torch.no_grad():
        for place, (own, other) in enumerate(zip(args, others, strict=False)):
            if _alike(own, other):
                kept.append((own, own.clone()))
                inputs[place] = own.copy_(other)
    try:
        yield inputs
    finally:
        with torch.no_grad():
            for own, numbers in kept:
                own.copy_(numbers)


def _alike(own: Any, other: Any) -> bool:
    """Say whether both are tensors of one shape, dtype and device, and the first has memory of its own for each entry."""
    if not (isinstance(own, Tensor) and isinstance(other, Tensor)) or own.is_meta or own is other:
        return False
    return (own.shape, own.dtype, own.device) == (other.shape, other.dtype, other.device) and own.is_contiguous()
