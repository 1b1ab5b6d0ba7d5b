"""The resource limits of a submission."""

import json
import math
from dataclasses import dataclass, fields

MB, GB = 2**20, 2**30
_WHOLE = ("memory", "processes", "disk", "file_size", "stops")


@dataclass(frozen=True)
class Limits:
    """Times are in seconds, sizes in bytes.

    Computing is limited by processor time, which does not depend on the load of the machine. The limit on elapsed time is much
    more generous. ``search_cpu`` limits the searches for likely causes, which follow after all points are decided. A process that
    waits for ``idle`` seconds of a request, and neither computes nor answers, counts as hung.
    """

    cell_cpu: float = 120.0
    request_cpu: float = 40.0
    search_cpu: float = 60.0
    total_cpu: float = 420.0
    total_wall: float = 1800.0
    idle: float = 20.0
    memory: int = 3 * GB
    processes: int = 64
    disk: int = 64 * MB
    file_size: int = 32 * MB
    stops: int = 5

    @classmethod
    def from_json(cls, text: str) -> "Limits":
        """Return the default limits with the changes in a JSON object. Raises ValueError for anything else."""
        try:
            changes = json.loads(text or "{}")
            for name, value in changes.items():
                if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                    raise ValueError(f"{name} is {value!r} and not a number above 0")
                if not math.isfinite(value) or (name in _WHOLE and value != int(value)):
                    raise ValueError(f"{name} is {value!r} and not a {'whole' if name in _WHOLE else 'finite'} number")
                if name in _WHOLE:
                    changes[name] = int(value)
            if unknown := sorted(changes.keys() - {field.name for field in fields(cls)}):
                raise ValueError(f"there is no {unknown[0]!r}")
            return cls(**changes)
        except (TypeError, ValueError, AttributeError) as error:
            names = ", ".join(field.name for field in fields(cls))
            raise ValueError(
                f'Limits should be a JSON object such as {{"request_cpu": 60}} with some of {names}, but are {text!r} '
                f"({error})."
            ) from None

    def inside(self) -> dict[str, int]:
        """Return the limits that the kernel enforces per process."""
        return {
            "memory": self.memory + 4 * GB,  # the kernel counts reserved memory, not used memory
            # The kernel counts every thread of the user; old kernels count across all sandboxes.
            "processes": self.processes * 8,
            "file_size": self.file_size,
            "cpu_seconds": int(self.total_cpu) + 60,
        }
