"""Outside: start the sandboxed parent, get workers from it, and send each one request at a time."""

import socket
import struct
import tempfile
from subprocess import DEVNULL

from joblib import cpu_count

from autograder.sandbox.inside.set_up import SetUp
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside import bubblewrap
from autograder.sandbox.outside.bubblewrap import SandboxMissing
from autograder.sandbox.outside.process import Process
from autograder.sandbox.outside.user import free_user, start
from autograder.sandbox.outside.worker import Worker

_START = 180.0


_CREDENTIALS = struct.Struct("iII")


class Box:
    """A sandboxed process that has loaded PyTorch. :meth:`spawn` returns a fresh worker, isolated from all others.

    With ``gpu`` the workers see the machine's NVIDIA devices. Forking a process that shares driver state is not
    safe, so each worker then gets its own parent: slower by the seconds that it takes to load PyTorch.
    ``libraries`` says what can be imported (:func:`visible.mounts`). Workers that may import other ones have another parent,
    which starts with the first of them.
    ``label`` appears in the process list and identifies the owner of a sandbox.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        threads: int | None = None,
        gpu: bool = False,
        label: str = "",
        libraries: tuple[str, ...] | None = None,
    ):
        self.limits = limits or Limits()
        self.threads = threads or cpu_count()
        self.gpu, self.label, self.libraries = gpu, label, libraries
        self.used = False
        self._beside: dict[tuple[str, ...] | None, Box] = {}
        self.program = bubblewrap.find()
        for number in dict.fromkeys((free_user(), 0)):
            self._start(number)
            if self._is_ready():
                return
            told = self._told()
            self.close()
        raise SandboxMissing(
            "The sandbox did not start. bubblewrap is installed, but this machine may not let it make user namespaces "
            "(on Ubuntu 24.04 see sysctl kernel.apparmor_restrict_unprivileged_userns; in a container, run it with "
            f"--security-opt seccomp=unconfined). It said: {told or 'nothing'}"
        )

    def _start(self, user: int) -> None:
        """Start the parent of all workers as this user, or as the grader's own if that is 0."""
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # each message arrives whole
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 closed in close(); without a name that could stay behind
        arguments = bubblewrap.command(
            self.program, self.limits, theirs.fileno(), self.threads, self.gpu, self.label, user, self.libraries
        )
        with open(f"/proc/self/fd/{self.errors.fileno()}", "ab") as told, theirs:  # write-only
            self.process = start(
                arguments, user, bubblewrap.USER, theirs.fileno(), stdin=DEVNULL, stdout=DEVNULL, stderr=told
            )

    def _is_ready(self) -> bool:
        self.control.settimeout(_START)
        try:
            said = self.control.recv(5)
        except OSError:
            said = b""
        self.control.settimeout(None)
        return said == b"ready"

    def _told(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-2000:].strip()

    def spawn(self, settings: SetUp | None = None) -> "Worker":
        """Return a fresh worker with these settings. Raises SandboxMissing if it could not be set up as they say."""
        settings = settings or SetUp(threads=self.threads, limits=self.limits.inside(), libraries=self.libraries)
        if settings.libraries != self.libraries:
            return self._with(settings.libraries).spawn(settings)
        if self.gpu and self.used:
            own = Box(self.limits, self.threads, gpu=True, label=self.label, libraries=self.libraries)
            worker = own.spawn(settings)
            worker.parent = own
            return worker
        self.used = True
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            socket.send_fds(self.control, [settings.as_bytes()], [theirs.fileno()])
        except OSError:
            raise SandboxMissing(f"The sandbox has ended. It said: {self._told() or 'nothing'}") from None
        finally:
            theirs.close()
        try:
            return Worker(ours, Process(self._hello(ours)), self.limits, self.threads)
        except SandboxMissing:
            ours.close()
            raise

    def _with(self, libraries: tuple[str, ...] | None) -> "Box":
        """Return the sandbox beside this one in which these libraries can be imported."""
        if libraries not in self._beside:
            self._beside[libraries] = Box(self.limits, self.threads, self.gpu, self.label, libraries)
        return self._beside[libraries]

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
        """End the parent and, with it, every worker."""
        for other in self._beside.values():
            other.close()
        self.control.close()
        self.process.kill()
        self.process.wait()
        self.errors.close()

    def __enter__(self) -> "Box":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
