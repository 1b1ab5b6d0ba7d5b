"""A table that describes this machine."""

import subprocess
import sys

import torch

from course_lib.devices.choice import SWITCH_IN_COLAB, in_colab, pick_device
from course_lib.devices.precision import has_native_bfloat16
from course_lib.devices.processor import UNKNOWN, cpu_memory, cpu_name, usable_cores
from course_lib.tables import Table

Rows = tuple[tuple[str, ...], ...]


def describe(device: str | torch.device | None = None) -> Table:
    """Return a table of the relevant properties of `device` (by default that of `pick_device`).

    It displays as HTML in a notebook and prints as text. Raises the errors of `pick_device` if `device` is unknown or missing.
    """
    chosen = pick_device(device)
    parts = {"cuda": _cuda_rows, "mps": _mps_rows, "cpu": _cpu_rows}
    software = (
        ("threads", str(torch.get_num_threads())),
        ("torch", torch.__version__),
        ("Python", sys.version.split()[0]),
    )
    return Table(f"This notebook computes on: {chosen}", parts[chosen.type](chosen) + software)


def _cuda_rows(device: torch.device) -> Rows:
    major, minor = torch.cuda.get_device_capability(device)
    free, total = torch.cuda.mem_get_info(device)
    return (
        ("GPU", torch.cuda.get_device_name(device)),
        ("memory", f"{gib(total)}, of which {gib(free)} free"),
        ("driver", _driver_version()),
        ("CUDA (of torch)", torch.version.cuda or UNKNOWN),
        ("compute capability", f"{major}.{minor}"),
        ("bfloat16", "yes" if has_native_bfloat16(device) else "no (mixed precision uses float16 here)"),
        ("processor", f"{cpu_name()}, {usable_cores()} usable cores"),
    )


def _mps_rows(device: torch.device) -> Rows:
    return (
        ("GPU", "Apple GPU (shares the machine's memory)"),
        ("memory", gib(cpu_memory())),
        ("bfloat16", "not used (mixed precision is off here)"),
        ("processor", f"{cpu_name()}, {usable_cores()} usable cores"),
    )


def _cpu_rows(device: torch.device) -> Rows:
    return (
        ("processor", cpu_name()),
        ("usable cores", str(usable_cores())),
        ("memory", gib(cpu_memory())),
        ("bfloat16", "yes" if has_native_bfloat16(device) else "no (it works, but slowly)"),
        ("GPU", _gpu_note()),
    )


def _gpu_note() -> str:
    if torch.cuda.is_available() or torch.backends.mps.is_available():
        return "there is one; pick_device() takes it"
    return f"none. If you want one{'' if in_colab() else ', open this notebook in Google Colab'}: {SWITCH_IN_COLAB}"


def _driver_version() -> str:
    """Return the driver's version from nvidia-smi; torch itself does not know it."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    return answer.strip().partition("\n")[0] or UNKNOWN


def gib(count: int | None) -> str:
    """Return a number of bytes as text in GiB (2 to the power of 30)."""
    return UNKNOWN if count is None else f"{count / 2**30:.1f} GiB"
