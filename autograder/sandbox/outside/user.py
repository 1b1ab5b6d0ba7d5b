"""Outside: start the sandbox as a user who owns nothing of the grader's.

The grader maps two users into a new user namespace: itself, as root there, who sets up the mounts and so may read a private
environment; and one who owns no file and runs nothing else, whom the parent of all workers becomes. Only root may do that.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_FIRST = 1_800_000_000  # far above what systems give to people, services and containers
_LAUNCH = Path(__file__).with_name("launch.py")


def free_user() -> int:
    """Return a user's number that belongs to nobody, another for each grading process; 0 if this process is not root."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return 0
    known = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    end = max(first + count for first, _, count in known)
    return min(_FIRST + os.getpid(), end - 1000 - os.getpid() % 1000)


def start(command: Sequence[str], user: int, inside: int, connection: int, **options: Any) -> subprocess.Popen:
    """Start a command, with this open ``connection``, as root of a new user namespace in which ``user`` is called ``inside``.

    If ``user`` is 0, start it as it is. ``options`` are those of :class:`subprocess.Popen`. If there can be no namespace, the
    command does not run; what went wrong is on its standard error.
    """
    if not user:
        return subprocess.Popen(command, pass_fds=[connection], **options)
    said, ready = os.pipe()
    waits, go = os.pipe()
    words = [sys.executable, "-I", "-S", str(_LAUNCH), str(ready), str(waits), *command]
    with open(said, "rb", 0) as told, open(go, "wb", 0) as answer:
        process = subprocess.Popen(words, pass_fds=[connection, ready, waits], **options)
        os.close(ready)
        os.close(waits)
        if told.read(1) and _mapped(process.pid, f"0 0 1\n{inside} {user} 1\n"):
            answer.write(b"g")
        return process


def _mapped(pid: int, text: str) -> bool:
    """Map users and groups into the namespace of a process, and return whether the kernel allows it."""
    try:
        for kind in ("uid", "gid"):
            Path(f"/proc/{pid}/{kind}_map").write_text(text)
    except OSError:
        return False
    return True
