"""Outside: start the sandboxed parent, get workers from it, and ask them one thing at a time."""

import contextlib
import math
import secrets
import socket
import struct
import subprocess
import tempfile
import time
from typing import Any

from joblib import cpu_count

from autograder.sandbox import bubblewrap, wire
from autograder.sandbox.bubblewrap import SandboxMissing
from autograder.sandbox.limits import MB, Limits
from autograder.sandbox.processes import Process

_START = 180.0
_CREDENTIALS = struct.Struct("iII")


class Stopped(Exception):
    """A worker was stopped or has ended. ``reason`` is a fixed word, the text a sentence for the student."""

    def __init__(self, reason: str, text: str):
        super().__init__(text)
        self.reason = reason


class Box:
    """A sandboxed process that has loaded PyTorch. :meth:`spawn` gives a fresh worker, which knows nothing of any other.

    With ``gpu`` the workers see the machine's NVIDIA devices. A process that shares a driver's state with others must not be
    forked from them, so each worker then gets a parent of its own: slower by the seconds that it takes to load PyTorch.
    ``label`` appears in the list of processes, and says whose sandbox a process belongs to.
    """

    def __init__(self, limits: Limits | None = None, threads: int | None = None, gpu: bool = False, label: str = ""):
        self.limits = limits or Limits()
        self.threads = threads or cpu_count()
        self.gpu, self.label = gpu, label
        self.used = False
        program = bubblewrap.find()
        self.control, theirs = socket.socketpair()
        self.errors = tempfile.NamedTemporaryFile()  # noqa: SIM115 closed in close()
        arguments = bubblewrap.command(program, self.limits, theirs.fileno(), self.threads, gpu, label)
        with open(self.errors.name, "ab") as told:  # only to be written to
            self.process = subprocess.Popen(
                arguments,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=told,
            )
        theirs.close()
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        self.control.settimeout(_START)
        try:
            said = self.control.recv(5)
        except OSError:
            said = b""
        self.control.settimeout(None)
        if said != b"ready":
            told = self._told()
            self.close()
            raise SandboxMissing(
                "The sandbox did not start. bubblewrap is installed, but this machine may not let it make user namespaces "
                "(on Ubuntu 24.04 see sysctl kernel.apparmor_restrict_unprivileged_userns; in a container, run it with "
                f"--security-opt seccomp=unconfined). It said: {told or 'nothing'}"
            )

    def _told(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-2000:].strip()

    def spawn(self) -> "Worker":
        """Return a fresh worker. Raises SandboxMissing when the parent has gone."""
        if self.gpu and self.used:
            own = Box(self.limits, self.threads, gpu=True, label=self.label)
            worker = own.spawn()
            worker.parent = own
            return worker
        self.used = True
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            socket.send_fds(self.control, [b"w"], [theirs.fileno()])
        except OSError:
            raise SandboxMissing(f"The sandbox has ended. It said: {self._told() or 'nothing'}") from None
        finally:
            theirs.close()
        return Worker(ours, Process(self._hello(ours)), self.limits, self.threads)

    def _hello(self, connection: socket.socket) -> int:
        """Receive the worker's first message and return its process number, which the kernel attaches to it."""
        connection.settimeout(60.0)
        try:
            said, extra, _, _ = connection.recvmsg(5, socket.CMSG_SPACE(_CREDENTIALS.size))
        except OSError:
            said, extra = b"", []
        connection.settimeout(None)
        for level, kind, data in extra:
            if said == b"hello" and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
                return _CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0]
        raise SandboxMissing(f"A worker did not start in the sandbox. It said: {self._told() or 'nothing'}")

    def close(self) -> None:
        """End the parent and with it every worker."""
        self.control.close()
        self.process.kill()
        self.process.wait()
        self.errors.close()

    def __enter__(self) -> "Box":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Worker:
    """The process of one submission. Whatever it sends is taken as bytes from an enemy."""

    def __init__(self, connection: socket.socket, process: Process, limits: Limits, threads: int):
        self.connection, self.process, self.limits, self.threads = connection, process, limits, threads
        self.deadline = math.inf  # of the whole submission, by time.monotonic
        self.parent: Box | None = None  # of this worker alone, and ended with it
        self._spent = 0.0

    def ask(
        self,
        op: str,
        header: dict[str, Any],
        packing: wire.Packing | None = None,
        cpu: float | None = None,
        alone: bool = False,
    ) -> tuple[dict[str, Any], wire.Unpacking]:
        """Send one message and return the answer. Raises Stopped, with the worker killed, when none comes.

        With ``alone``, which is for measuring, no other process may run beside the worker meanwhile.
        """
        ticket = secrets.token_hex(16)  # an answer that was written before the question cannot know it
        watch = _Watch(self, self.limits.request_cpu if cpu is None else cpu, alone)
        try:
            wire.send(self.connection, header | {"op": op, "ticket": ticket}, packing, watch)
            reply, body = wire.receive(self.connection, watch)
            if reply.get("ticket") != ticket:
                raise wire.BadMessage("an answer to another question")
        except (wire.Silence, OSError):
            self.close()
            raise Stopped("ended", "The process ended in the middle of the call.") from None
        except wire.BadMessage as error:
            self.close()
            raise Stopped("garbled", f"What came back could not be read: {error}.") from None
        except Stopped:
            self.close()
            raise
        return reply, wire.Unpacking(body)

    def cpu(self) -> float:
        """Return the processor seconds that it has used; of one that has ended, what was known of it at last."""
        if self.process.handle >= 0:
            self._spent = max(self._spent, self.process.cpu())
        return self._spent

    def close(self) -> None:
        """Kill the worker, and with it every process that it has left behind."""
        self.cpu()
        self.process.kill()
        with contextlib.suppress(OSError):
            self.connection.close()
        if self.parent is not None:
            self.parent.close()
            self.parent = None


class _Watch:
    """Called again and again while an answer is awaited. Raises Stopped when the submission uses more than it may."""

    def __init__(self, worker: Worker, cpu: float, alone: bool):
        self.worker, self.process, self.limits = worker, worker.process, worker.limits
        self.most, self.deadline, self.alone = cpu, worker.deadline, alone
        self.begun = worker.cpu()
        self.seen = (time.monotonic(), self.begun)

    def __call__(self) -> None:
        now, cpu = time.monotonic(), self.worker.cpu()
        if now > self.deadline:
            raise Stopped("total", "Stopped: the time for the whole notebook is used up.")
        if self.alone and self.process.count() > 1:
            raise Stopped("processes", "Stopped: while time or memory is measured, no other process may run.")
        if cpu - self.begun > self.most:
            raise Stopped("time", f"Stopped after {self.most:g} seconds of computing.")
        if cpu - self.seen[1] > 0.02 * self.limits.idle:
            self.seen = (now, cpu)
        elif now - self.seen[0] > self.limits.idle:
            raise Stopped(
                "idle", f"Stopped after {self.limits.idle:g} seconds of waiting in which nothing was computed."
            )
        if self.process.resident() > self.process.begin * self.process.count() + self.limits.memory:
            raise Stopped("memory", f"Stopped: more than {self.limits.memory // MB} MB of memory were used.")
        if self.process.count() > self.limits.processes:
            raise Stopped("processes", f"Stopped: more than {self.limits.processes} processes were running.")
