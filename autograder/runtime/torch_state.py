"""The global PyTorch settings that the checks expect."""

import contextlib
from collections.abc import Iterator

import torch


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
