"""Choose a device, and explain how to get a GPU."""

import torch

from course_lib.live import in_colab

KINDS = ("cuda", "mps", "cpu")
SWITCH_IN_COLAB = "Runtime > Change runtime type > T4 GPU > Save, then run the notebook again from the top"


def how_to_get_a_gpu() -> str:
    """Return one sentence on how to get a GPU from this machine."""
    if in_colab():
        return f"To get one, choose {SWITCH_IN_COLAB}."
    return (
        "If this machine has an NVIDIA GPU, install a torch built for CUDA (see https://pytorch.org/get-started/locally/)"
        " and check that nvidia-smi finds the GPU. If it has none, open the notebook in Google Colab and choose "
        f"{SWITCH_IN_COLAB}."
    )


def is_available(kind: str) -> bool:
    """Return whether this machine and this build of torch have a device of the kind "cuda", "mps" or "cpu"."""
    if kind == "cuda":
        return torch.cuda.is_available()
    if kind == "mps":
        return torch.backends.mps.is_available()
    return kind == "cpu"


def pick_device(prefer: str | torch.device | None = None) -> torch.device:
    """Return the device to compute on: `prefer` if given, otherwise a CUDA GPU, an Apple GPU (mps) or the CPU.

    Raises ValueError if `prefer` names no kind of device that this course uses, and RuntimeError if the device does not exist. It
    never silently falls back to another device.
    """
    if prefer is None:
        return torch.device(next(kind for kind in KINDS if is_available(kind)))
    try:
        device = torch.device(prefer)
    except (RuntimeError, TypeError) as error:
        raise ValueError(_unknown(prefer)) from error
    if device.type not in KINDS:
        raise ValueError(_unknown(prefer))
    if not is_available(device.type):
        raise RuntimeError(_missing(device))
    if device.type == "cuda" and device.index is not None and device.index >= torch.cuda.device_count():
        raise RuntimeError(
            f"There is no {device}: this machine has {torch.cuda.device_count()} GPU(s), counted from cuda:0."
        )
    return device


def _unknown(prefer: object) -> str:
    return (
        f'Expected "cuda", "mps" or "cpu" (or "cuda:1" for the second GPU), got {prefer!r}. '
        "Leave the argument out to take the best device there is."
    )


def _missing(device: torch.device) -> str:
    there = f"(it finds: {', '.join(kind for kind in KINDS if is_available(kind))})"
    if device.type == "cuda":
        return f"The device '{device}' was asked for, but torch finds no CUDA GPU here {there}. {how_to_get_a_gpu()}"
    return (
        f"The device '{device}' was asked for, but torch finds no Apple GPU here {there}. "
        "Leave the argument out to take the best device there is."
    )


def require_gpu() -> torch.device:
    """Return the GPU (CUDA or Apple), or raise RuntimeError with complete instructions on how to get one."""
    device = pick_device()
    if device.type == "cpu":
        raise RuntimeError(f"This part needs a GPU, and torch finds none here. {how_to_get_a_gpu()}")
    return device
