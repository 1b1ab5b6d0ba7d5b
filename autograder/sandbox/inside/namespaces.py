"""Inside: move this process into its own namespaces and limits before a student's code runs in it."""

import os
import platform
import resource
import signal
import stat
import struct
from collections.abc import Iterable, Sequence

from autograder.sandbox.inside import c_library

_NEW_USER, _NEW_PID, _NEW_MOUNTS, _NEW_IPC, _NEW_NET = 0x10000000, 0x20000000, 0x00020000, 0x08000000, 0x40000000
_PRIVATE, _RECURSIVE, _BIND, _REMOUNT, _READ_ONLY = 1 << 18, 1 << 14, 1 << 12, 1 << 5, 1
_NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CAPABILITY_VERSION_3 = 0x20080522
_SECCOMP = {"x86_64": 317, "aarch64": 277}  # the number of the system call
_SET_FILTER, _ALL_THREADS = 1, 1

#: Where a student's code may write. Nothing in them can be loaded as a program or a library.
HOME = "/inside/home"
WRITABLE = (HOME, "/tmp", "/dev/shm")

#: Copied into the new /proc. The outer /proc would reveal other processes.
_PROC_FILES = ("cpuinfo", "meminfo", "version", "stat", "loadavg")

_TRIM, _MMAP = -1, -3


def hide_from_others() -> None:
    """Forbid other processes of the same user to read this one's memory or trace it."""
    c_library.call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def die_with_parent() -> None:
    c_library.call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def become(user: int) -> None:
    """Become another user of this user namespace, permanently, and so lose every capability."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def enter(disk: int, keep: Sequence[str] = (), hide: Iterable[tuple[str, str]] = ()) -> None:
    """Enter new user, process, IPC, network and mount namespaces, with a minimal /proc and empty writable folders.

    Each of these folders holds ``disk`` bytes. ``keep`` names files and folders below /tmp that stay visible, since the Python
    environment may be there. For each pair in ``hide``, the second file is mounted read-only over the first; "" hides it. The
    caller must fork afterwards: the child is process 1 of the new process namespace.
    """
    user, group = os.getuid(), os.getgid()
    c_library.call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)  # otherwise root owns /proc/self
    contents = {name: _read(f"/proc/{name}") for name in _PROC_FILES}
    c_library.call("unshare", _NEW_USER | _NEW_PID | _NEW_MOUNTS | _NEW_IPC | _NEW_NET)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    c_library.call("mount", b"none", b"/", None, _RECURSIVE | _PRIVATE, None, operation="mount /")
    for path, instead in hide:
        _cover(path, instead)
    descriptors = {path: os.open(path, os.O_PATH) for path in keep}
    for path in WRITABLE:
        _mount_empty(path, f"size={disk},nr_inodes=20000,mode=1777")
    for path, number in descriptors.items():
        folder = stat.S_ISDIR(os.fstat(number).st_mode)
        os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)
        if not folder:
            os.mknod(path)
        source = f"/proc/self/fd/{number}".encode()
        c_library.call("mount", source, path.encode(), None, _BIND | _RECURSIVE, None, operation=f"bind {path}")
        os.close(number)
    # Terminals: all workers of a submission would see the same.
    _mount_empty("/dev/pts", "size=1,nr_inodes=1,mode=0555")
    _mount_empty("/proc", "size=1m,nr_inodes=100")
    os.mkdir("/proc/self")
    for name, content in (contents | {"self/maps": b""}).items():  # scikit-learn looks there for libraries with threads
        with open(f"/proc/{name}", "wb") as copy:
            copy.write(content)


def _mount_empty(path: str, options: str) -> None:
    flags = _NO_SUID | _NO_DEVICES | _NO_PROGRAMS
    c_library.call("mount", b"tmpfs", path.encode(), b"tmpfs", flags, options.encode(), operation=f"mount {path}")


def _cover(path: str, instead: str) -> None:
    if os.path.isdir(path):
        _mount_empty(path, "size=1,nr_inodes=1,mode=0555")
        return
    c_library.call(
        "mount", (instead or os.devnull).encode(), path.encode(), None, _BIND, None, operation=f"cover {path}"
    )
    if instead:
        flags = _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_DEVICES
        c_library.call("mount", None, path.encode(), None, flags, None, operation=f"cover {path} read-only")


def give_up_privileges() -> None:
    """Drop every capability permanently, so that the student's code cannot unmount a mount that hides another path."""
    for capability in range(64):
        c_library.try_to_call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
    c_library.call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    c_library.call("capset", struct.pack("2I", _CAPABILITY_VERSION_3, 0), bytes(24))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(2**18)


def limit(memory: int, processes: int, file_size: int, cpu_seconds: int) -> None:
    """Set the limits that the kernel enforces per process; the grader watches the total of all processes from outside."""
    for kind, value in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NOFILE, 100),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def forbid_calls(program: bytes) -> None:
    """Have the kernel run a BPF program (seccomp) on every later system call of this process, its threads and its children."""
    described = struct.pack("HP", len(program) // 8, c_library.address_of(program))  # struct sock_fprog
    c_library.call("syscall", _SECCOMP[platform.machine()], _SET_FILTER, _ALL_THREADS, described, operation="seccomp")


def give_back_at_once() -> None:
    """Have malloc return freed memory to the kernel immediately, so that the memory in use can be measured from outside.

    Otherwise, freed large tensors leave unused heap behind (mallopt(3), M_MMAP_THRESHOLD).
    """
    for option in (_TRIM, _MMAP):
        c_library.try_to_call("mallopt", option, 2**16)


def close_all_but(*keep: int) -> None:
    """Close every inherited file descriptor except the standard ones and those in ``keep``."""
    low = 3
    for number in sorted(keep):
        os.closerange(low, number)
        low = number + 1
    os.closerange(low, 4096)
