"""Outside: bubblewrap's command line, and the sandboxed parent process that forks workers.

The grader maps two users into a new user namespace: itself, as root there, to set up the mounts and read a private environment;
and a user without files or other processes, for the parent of all workers. This requires root.
"""

import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from joblib import cpu_count

from autograder.sandbox.inside.namespaces import HOME
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside import bubblewrap, mounts
from autograder.sandbox.outside.mounts import SandboxMissing
from autograder.sandbox.outside.process import Process

if TYPE_CHECKING:  # they load PyTorch, which whoever starts a sandbox does while the sandbox loads its own
    from autograder.sandbox.inside.protocol import SetUp
    from autograder.sandbox.outside.worker import Worker

_FIRST = 1_800_000_000  # far above what systems give to people, services and containers
_LAUNCH = Path(__file__).with_name("launch.py")


def free_user() -> int:
    """Return a user id without an account, different for each grading process; 0 if this process is not root's."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return 0
    ranges = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    end = max(first + count for first, _, count in ranges)
    return min(_FIRST + os.getpid(), end - 1000 - os.getpid() % 1000)


def start(command: Sequence[str], user: int, inside: int, connection: int, **options: Any) -> subprocess.Popen:
    """Start a command, with this open ``connection``, as root of a new user namespace that maps ``user`` to ``inside``.

    If ``user`` is 0, start it without a namespace. ``options`` are those of :class:`subprocess.Popen`. If the namespace cannot be
    created, the command does not run, and its standard error gives the reason.
    """
    if not user:
        return subprocess.Popen(command, pass_fds=[connection], **options)
    readable, ready = os.pipe()
    waits, go = os.pipe()
    words = [sys.executable, "-I", "-S", str(_LAUNCH), str(ready), str(waits), *command]
    with open(readable, "rb", 0) as signal, open(go, "wb", 0) as answer:
        process = subprocess.Popen(words, pass_fds=[connection, ready, waits], **options)
        os.close(ready)
        os.close(waits)
        if signal.read(1) and _mapped(process.pid, f"0 0 1\n{inside} {user} 1\n"):
            answer.write(b"g")
        return process


def _mapped(pid: int, text: str) -> bool:
    """Map users and groups into the namespace of a process, and return whether the kernel allows this."""
    try:
        for kind in ("uid", "gid"):
            Path(f"/proc/{pid}/{kind}_map").write_text(text)
    except OSError:
        return False
    return True


#: The number of the user that students' code runs as, seen from inside.
USER = 1000


def command(
    bwrap: str,
    limits: Limits,
    control: int,
    threads: int,
    gpu: bool = False,
    label: str = "",
    user: int = 0,
    libraries: tuple[str, ...] | None = None,
) -> list[str]:
    """Return the command that starts the parent of all workers, with its socket as file descriptor ``control``.

    With ``user``, it must run as root of a user namespace that contains this user, which the parent becomes. ``libraries``
    selects the visible Python libraries (:func:`mounts.mounts`).
    """
    walls = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    if user:
        walls[1:2] = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        walls += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        walls += ["--uid", str(USER), "--gid", str(USER), "--cap-drop", "ALL"]
    walls += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/etc", "--dir", HOME]
    mounted = list(mounts.mounts(libraries))
    for folder in sorted({parent for _, *paths in mounted for parent in PurePosixPath(paths[-1]).parents}):
        walls += ["--dir", str(folder)]  # else bubblewrap makes them for root alone
    for option, *paths in mounted:
        walls += [option, *paths]
    for device in sorted(Path("/dev").glob("nvidia*")) if gpu else ():
        walls += ["--dev-bind", str(device), str(device)]
    for name, value in _environment(limits, threads, bool(user)).items():
        walls += ["--setenv", name, value]
    walls += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [*walls, sys.executable, "-s", "-B", "-m", "autograder.sandbox.inside.zygote", str(control), label]


def _environment(limits: Limits, threads: int, user: bool) -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{mounts.INSIDE}:{HOME}",  # the course, and files beside the notebook
        "PYTHONHASHSEED": "random",
        "HOME": HOME,
        "XDG_CACHE_HOME": "/tmp/cache",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",  # a waiting thread must not use processor time
        "COURSE_DIGITS": mounts.DIGITS,
        "KINETO_LOG_LEVEL": "6",
        "JOBLIB_MULTIPROCESSING": "0",  # it would start programs, and warns where it finds no shared memory
        "SANDBOX_USER": str(USER) if user else "",
        "SANDBOX_DISK": str(limits.disk),
        "SANDBOX_KEEP": "".join(f"{path}{os.pathsep}" for path in mounts.visible() if path.is_relative_to("/tmp")),
        "TZ": os.environ.get("TZ", "UTC"),
    }


_START = 180.0


_CREDENTIALS = struct.Struct("iII")


class SetUpFailed(Exception):
    """A worker could not be set up for a submission, and has run none of its code. A person has to look at its files."""


class Sandbox:
    """A sandboxed process that loads PyTorch. :meth:`spawn` returns a fresh worker, isolated from all others.

    It starts immediately and takes seconds to load; the first :meth:`spawn` waits for it. With ``gpu``, the workers see the
    machine's NVIDIA devices. Forking a process that shares driver state is not safe, so each worker then gets its own parent,
    which costs the seconds to load PyTorch. ``libraries`` selects the Python libraries that can be imported
    (:func:`mounts.mounts`). Workers with other libraries have another parent, which starts with the first of them. ``label``
    appears in the process list and identifies the owner of a sandbox.
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
        self._beside: dict[tuple[str, ...] | None, Sandbox] = {}
        self.program = bubblewrap.find()
        self._user = free_user()
        self._ready = False
        self._start(self._user)

    def _wait(self) -> None:
        """Wait until workers can be spawned. Raises SandboxMissing if that fails."""
        if self._ready or self._says_ready():
            self._ready = True
            return None
        errors = self._error_text()
        self.close()
        if self._user:  # not every machine lets root use another user: try once more as the grader's own
            self._user = 0
            self._start(self._user)
            return self._wait()
        raise SandboxMissing(
            "The sandbox did not start. bubblewrap is installed, but this machine may not let it make user namespaces "
            "(on Ubuntu 24.04 see sysctl kernel.apparmor_restrict_unprivileged_userns; in a container, run it with "
            f"--security-opt seccomp=unconfined). It said: {errors or 'nothing'}"
        )

    def _start(self, user: int) -> None:
        """Start the parent of all workers as this user, or as the grader's own if that is 0."""
        # In such sockets each message arrives whole.
        self.control, parent_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 closed in close(); without a name that could stay behind
        arguments = command(
            self.program, self.limits, parent_end.fileno(), self.threads, self.gpu, self.label, user, self.libraries
        )
        with open(f"/proc/self/fd/{self.errors.fileno()}", "ab") as errors, parent_end:  # write-only
            self.process = start(
                arguments, user, USER, parent_end.fileno(), stdin=DEVNULL, stdout=DEVNULL, stderr=errors
            )

    def _says_ready(self) -> bool:
        self.control.settimeout(_START)
        try:
            message = self.control.recv(5)
        except OSError:
            message = b""
        self.control.settimeout(None)
        return message == b"ready"

    def _error_text(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-2000:].strip()

    def spawn(self, settings: "SetUp | None" = None) -> "Worker":
        """Return a fresh worker with these settings. Raises SandboxMissing if it could not be set up with them."""
        from autograder.sandbox.inside.protocol import SetUp
        from autograder.sandbox.outside.worker import Worker

        self._wait()
        settings = settings or SetUp(threads=self.threads, limits=self.limits.inside(), libraries=self.libraries)
        if settings.libraries != self.libraries:
            return self._with(settings.libraries).spawn(settings)
        if self.gpu and self.used:
            sandbox = Sandbox(self.limits, self.threads, gpu=True, label=self.label, libraries=self.libraries)
            worker = sandbox.spawn(settings)
            worker.parent = sandbox
            return worker
        self.used = True
        grader_end, worker_end = socket.socketpair()
        grader_end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            socket.send_fds(self.control, [settings.as_bytes()], [worker_end.fileno()])
        except OSError:
            raise SandboxMissing(f"The sandbox has ended. It said: {self._error_text() or 'nothing'}") from None
        finally:
            worker_end.close()
        try:
            return Worker(grader_end, Process(self._hello(grader_end)), self.limits, self.threads)
        except SandboxMissing:
            grader_end.close()
            raise

    def _with(self, libraries: tuple[str, ...] | None) -> "Sandbox":
        """Return the sandbox beside this one in which these libraries can be imported."""
        if libraries not in self._beside:
            sandbox = Sandbox(self.limits, self.threads, self.gpu, self.label, libraries)
            sandbox._wait()  # one that does not start is not kept
            self._beside[libraries] = sandbox
        return self._beside[libraries]

    def _hello(self, connection: socket.socket) -> int:
        """Receive a worker's first message, and return its process id, which the kernel attaches to it."""
        connection.settimeout(60.0)
        try:
            greeting, extra, _, _ = connection.recvmsg(5, socket.CMSG_SPACE(_CREDENTIALS.size))
        except OSError:
            greeting, extra = b"", []
        connection.settimeout(None)
        for level, kind, data in extra:
            if greeting == b"hello" and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
                return _CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0]
        raise SandboxMissing(f"A worker did not start in the sandbox. It said: {self._error_text() or 'nothing'}")

    def close(self) -> None:
        """End the parent and, with it, every worker."""
        for sandbox in self._beside.values():
            sandbox.close()
        self.control.close()
        self.process.kill()
        self.process.wait()
        self.errors.close()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
