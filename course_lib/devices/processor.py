"""Information on the processor from the standard library, with fallbacks for macOS and Windows."""

import os
import platform
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
UNKNOWN = "unknown"


def _cpuinfo(*fields: str) -> str:
    """Return the first value of one of `fields` in /proc/cpuinfo, or "" without such a file or field."""
    try:
        lines = CPUINFO.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    pairs = (line.partition(":") for line in lines)
    return next((value.strip() for field, _, value in pairs if field.strip() in fields and value.strip()), "")


def cpu_name() -> str:
    """Return the processor's name, such as "AMD EPYC", or the platform's name for it."""
    return _cpuinfo("model name", "Hardware") or platform.processor() or platform.machine() or UNKNOWN


def cpu_flags() -> set[str]:
    """Return the names of the instruction sets, such as "avx2"; empty where the system does not list them in a file."""
    return set(_cpuinfo("flags", "Features").split())


def usable_cores() -> int:
    """Return the number of cores that this process may use: a container's share, if that is less than the machine has."""
    from joblib import cpu_count  # knows affinity and the quotas of control groups; a quarter of a second to import

    return cpu_count()


def cpu_memory() -> int | None:
    """Return the machine's memory in bytes, or None if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
