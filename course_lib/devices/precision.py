"""Mixed precision: the 16-bit number format, if any, that is fast and safe on a device."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from course_lib.devices.choice import pick_device
from course_lib.devices.processor import cpu_flags

NATIVE_BFLOAT16_ON_CPU = {"avx512_bf16", "amx_bf16", "bf16"}  # the last one is ARM's name


def autocast_dtype(device: str | torch.device | None = None) -> torch.dtype:
    """Return the dtype that mixed precision should use on `device` (by default the one `pick_device` takes).

    bfloat16 has float32's range and needs no further care. float16 does not: train with `torch.amp.GradScaler` there,
    or small gradients become zero. float32 means that mixed precision is of no use on this device.
    """
    chosen = pick_device(device)
    if chosen.type == "cuda":
        return torch.bfloat16 if has_native_bfloat16(chosen) else torch.float16
    if chosen.type == "cpu" and has_native_bfloat16(chosen):
        return torch.bfloat16
    # A CPU without these instructions emulates bfloat16: a matrix product of 512 x 512 took 13 times as long as in
    # float32 on one with AVX2. On Apple GPUs, what autocast can do depends on the versions of torch and of macOS.
    return torch.float32


def has_native_bfloat16(device: torch.device) -> bool:
    """Return whether a CUDA GPU or a CPU computes in bfloat16 natively, not by emulation."""
    if device.type == "cuda":
        # torch.cuda.is_bf16_supported() also says yes on a T4 (7.5), which emulates it; Ampere (8.0) has it built in.
        return torch.cuda.get_device_capability(device)[0] >= 8
    return bool(NATIVE_BFLOAT16_ON_CPU & cpu_flags())


def autocast(device: str | torch.device | None = None) -> AbstractContextManager[Any]:
    """Return a context in which torch computes in `autocast_dtype(device)`; where that is float32, it does nothing."""
    chosen = pick_device(device)
    dtype = autocast_dtype(chosen)
    if dtype == torch.float32:
        return nullcontext()
    return torch.autocast(chosen.type, dtype=dtype)
