"""Copies of tensors, and known settings of PyTorch."""

import contextlib
import functools
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext


def copy_tensor(tensor: Tensor) -> Tensor:
    """Copy a tensor with its strides and offset, so that a non-contiguous tensor stays non-contiguous."""
    if not tensor.numel() or tensor.is_contiguous():
        return tensor.detach().clone()
    storage = tensor.detach().untyped_storage().clone()
    copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return copy.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


def matching(name: str, own: Iterable[str]) -> list[str]:
    """Return the parameters in ``own`` that ``name`` refers to: of that name, or of a submodule (``part.name``)."""
    ending = f".{name}"
    return [key for key in own if key == name or key.endswith(ending)]


def by_ending(own: Iterable[str]) -> Mapping[str, str]:
    """Map each parameter name, and each ending of one (``part.name``), to the first full name with this ending."""
    return _by_ending(tuple(own))


@functools.lru_cache(maxsize=64)  # a check builds a model of the same names many times
def _by_ending(names: tuple[str, ...]) -> Mapping[str, str]:
    first: dict[str, str] = {}
    for key in names:
        parts = key.split(".")
        for start in range(len(parts)):
            first.setdefault(".".join(parts[start:]), key)
    return first


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
    """Reset the global settings of PyTorch and NumPy, which a cell may have changed; restore them afterwards.

    PyTorch uses one thread: on small tensors, more threads only wait for each other, above all on a busy machine. Compiled
    functions run uncompiled, because a compiler may round differently, and not every machine has one.
    """
    with contextlib.ExitStack() as cleanup:
        for get, put, value in _SETTINGS:
            if (before := get()) != value:
                put(value)
                cleanup.callback(put, before)
        # Asked where PyTorch keeps it: get_default_device() raises where there is no such device, or none is chosen any more.
        if modes := _device_modes():  # even one for "cpu" makes PyTorch route each call through Python
            torch.set_default_device(None)
            if len(remaining := _device_modes()) < len(modes):
                cleanup.callback(torch.set_default_device, modes[0].device)
            if remaining:  # entered by "with", and perhaps never left
                cleanup.enter_context(torch.device("cpu"))
        if "torch._dynamo" in sys.modules:
            cleanup.enter_context(torch.compiler.set_stance("force_eager"))
        cleanup.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        cleanup.enter_context(torch.inference_mode(False))
        cleanup.enter_context(torch.enable_grad())
        yield


@contextlib.contextmanager
def seeded_generators(seed: int) -> Iterator[None]:
    """Seed the global generators of PyTorch, NumPy and Python, and restore their states afterwards."""
    with contextlib.ExitStack() as cleanup:
        cleanup.enter_context(torch.random.fork_rng())
        cleanup.callback(np.random.set_state, np.random.get_state())
        cleanup.callback(random.setstate, random.getstate())
        torch.manual_seed(seed)
        np.random.seed(seed % 2**32)
        random.seed(seed)
        yield


@contextlib.contextmanager
def kept_defaults() -> Iterator[list[str]]:
    """Restore PyTorch's default device and dtype after the block; the yielded list then names those that had changed."""
    changed, dtype, device = list[str](), torch.get_default_dtype(), _default_device()
    try:
        yield changed
    finally:
        if _default_device() != device:
            torch.set_default_device(None)  # what known_torch_state has chosen
            changed.append("device")
        if torch.get_default_dtype() is not dtype:
            torch.set_default_dtype(dtype)
            changed.append("dtype")


def _default_device() -> str:
    modes = _device_modes()
    return str(modes[-1].device) if modes else "cpu"


def _device_modes() -> list[Any]:
    """Return the active modes that choose the device of new tensors, the default device first."""
    return [mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext)]


def forget_absent_device() -> None:
    """Reset a default device that this machine lacks: PyTorch accepts it, but then cannot create any tensor."""
    if (
        any(mode.device.type not in ("cpu", "meta") for mode in _device_modes())
        and not torch.accelerator.is_available()
    ):
        torch.set_default_device(None)


#: Each setting that a cell may have changed: the function that reads it, the one that sets it, and the value for a check.
_SETTINGS: tuple[tuple[Callable[[], Any], Callable[[Any], Any], Any], ...] = (
    (torch.get_num_threads, torch.set_num_threads, 1),
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "highest"),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms, False),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False),
    *(
        (functools.partial(torch.is_autocast_enabled, kind), functools.partial(torch.set_autocast_enabled, kind), False)
        for kind in ("cpu", "cuda")
    ),
)
