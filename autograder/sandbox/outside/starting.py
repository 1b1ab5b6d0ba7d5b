"""Outside: a fresh worker for a submission, of one kind or another, with the files that were handed in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from autograder.sandbox.inside import encoding
from autograder.sandbox.inside.requests import unpack_failure
from autograder.sandbox.inside.set_up import SetUp
from autograder.sandbox.outside.box import Box
from autograder.sandbox.outside.worker import Worker


class SetUpFailed(Exception):
    """A worker could not be set up for a submission, and has run none of its code. A person has to look at its files."""


@dataclass(frozen=True)
class Kind:
    """What a worker is for: which functions it may not call, what it measures, and right versions of earlier exercises in it.

    And which libraries it may import; all if that is None.
    """

    forbid: tuple[str, ...]
    libraries: tuple[str, ...] | None = None
    measures: str = ""
    names: tuple[str, ...] = ()
    right: str = ""


@dataclass
class Open:
    """A worker and the cells that it has run."""

    worker: Worker
    ran: list[tuple[str, bool]] = field(default_factory=list)


def started(box: Box, settings: SetUp, files: Mapping[str, bytes], deadline: float, may_wait: float) -> Worker:
    """Return a worker with these settings and files. Raises SetUpFailed if the files could not be written."""
    worker = box.spawn(settings)
    worker.deadline, worker.may_wait = deadline, may_wait
    packing = encoding.Packing()
    content = {name: _as_tensor(data) for name, data in files.items()}
    reply, unpacking = worker.ask("files", {"files": encoding.pack(content, packing)}, packing)
    if "failure" in reply:
        worker.close()
        told = unpack_failure(reply["failure"], unpacking).yours
        raise SetUpFailed(f"its files could not be written into the sandbox: {told}")
    return worker


def _as_tensor(data: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
