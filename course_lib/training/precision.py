"""Mixed precision for training: the context of the forward pass, and the scaler for float16."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from course_lib.devices import autocast_dtype

DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def mixed_precision(
    device: torch.device, dtype: torch.dtype | None = None
) -> tuple[AbstractContextManager[Any], torch.amp.GradScaler]:
    """Return (the context of the forward pass, the scaler of the loss); both do nothing where `dtype` is float32.

    Without `dtype`, an NVIDIA GPU gets what `devices.autocast_dtype` recommends, and everything else float32. The
    scaler multiplies the loss, so that gradients do not vanish in float16, and leaves out steps in which they overflow.
    Raises ValueError for another dtype.
    """
    if dtype is None:
        dtype = default_dtype(device)
    if dtype not in DTYPES:
        raise ValueError(f"Expected dtype to be one of {', '.join(map(str, DTYPES))}, or None, got {dtype}.")
    scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16)
    if dtype == torch.float32:
        return nullcontext(), scaler
    return torch.autocast(device.type, dtype=dtype), scaler


def default_dtype(device: torch.device) -> torch.dtype:
    """Return the dtype in which a model is trained on `device`; it is float16 on an NVIDIA GPU without native bfloat16."""
    return autocast_dtype(device) if device.type == "cuda" else torch.float32
