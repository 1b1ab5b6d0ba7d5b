"""A child process that answers frames of bytes, one at a time: eight bytes of length, then the data."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from autograder.sandbox.inside import namespaces

_ROOT = Path(__file__).resolve().parents[3]


def write_frame(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "big"))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Return the next frame. Raises EOFError if there is none, or only part of one."""
    head = stream.read(8)
    data = stream.read(int.from_bytes(head, "big")) if len(head) == 8 else b""
    if len(head) < 8 or len(data) < int.from_bytes(head, "big"):
        raise EOFError
    return data


class Channel:
    """The process that runs ``python -m module arguments``, seen from outside. Not thread-safe.

    Its standard error goes to the file ``errors``, or to this process's standard error.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        folder: Path | None = None,
        errors: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ):
        # The child finds the package where this process has it, and not in the current folder (-P).
        path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        )
        assert self.process.stdin is not None  # both are pipes
        assert self.process.stdout is not None
        self._questions, self._answers = self.process.stdin, self.process.stdout

    def ask(self, data: bytes) -> bytes:
        """Send a frame and return the answer. Raises OSError or EOFError if the process has ended."""
        write_frame(self._questions, data)
        return read_frame(self._answers)

    def kill(self) -> int:
        """Kill the process, and return its exit status."""
        self.process.kill()
        return self.process.wait()

    def close(self) -> None:
        """Close its input, and wait until the process ends."""
        with contextlib.suppress(OSError):  # it may have ended already
            self._questions.close()
        self.process.wait()
        self._answers.close()


def inside() -> tuple[IO[bytes], IO[bytes]]:
    """Return the request and answer streams of this process, which :class:`Channel` has started.

    The process ends with its parent and ignores keyboard interrupts. Printed output
    goes to standard error from now on, so that it cannot corrupt the answers.
    """
    if sys.platform == "linux":
        namespaces.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return questions, answers
