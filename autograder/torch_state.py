"""PyTorch's own switches, as the checks expect them."""

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def known_torch_state() -> Iterator[None]:
    """Record gradients and use float32 on the CPU by default, whatever the notebook has switched on or off before."""
    dtype, device = torch.get_default_dtype(), torch.get_default_device()
    torch.set_default_dtype(torch.float32)
    torch.set_default_device("cpu")
    try:
        with torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_default_device(None if device.type == "cpu" else device)
