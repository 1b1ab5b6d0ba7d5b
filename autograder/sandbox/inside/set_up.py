"""What a worker has to be before any byte of a submission reaches it. Used on both sides of the boundary."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class SetUp:
    """The settings of one worker.

    ``forbid`` names the functions that it may not call; ``lesson`` is the lesson's package, whose ``check`` a notebook may
    import. ``limits`` are those that the kernel enforces per process (:meth:`Limits.inside`). A worker that
    ``measures`` "time" or "memory" can have threads, but no other process: its own are then all that a call costs. ``author`` is
    the id whose numbers ``course_lib.variants`` draws; code inside may change it there, and the checks, outside, do not ask.
    ``libraries`` can be imported beside those of the course; all that are installed if it is None.
    """

    forbid: tuple[str, ...] = ()
    lesson: str = ""
    threads: int = 1
    limits: Mapping[str, int] = field(default_factory=dict)
    measures: str = ""
    author: str = ""
    libraries: tuple[str, ...] | None = None

    def as_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def from_bytes(data: bytes) -> SetUp:
    """Return the settings encoded by :meth:`SetUp.as_bytes`."""
    said = json.loads(data)
    lists = {name: tuple(said[name]) for name in ("forbid", "libraries") if said[name] is not None}
    return SetUp(**said | lists)
