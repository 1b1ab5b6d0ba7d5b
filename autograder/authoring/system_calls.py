"""The system calls that a submission may not make, as BPF programs that the kernel runs on every call (seccomp).

``python -m autograder.authoring.system_calls`` rewrites them with libseccomp. The programs are stored beside the sandbox that
loads them, so a grading machine needs no libseccomp. Everything else is allowed. The list follows those of Docker and Flatpak
(https://docs.docker.com/engine/security/seccomp, https://github.com/flatpak/flatpak/blob/main/common/flatpak-run.c), and adds
calls that a notebook does not need: those that start programs, create memory outside any process, or block a file's owner.
"""

import errno
import socket
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "sandbox" / "outside" / "system_calls"
MACHINES = {"x86_64": "X86_64", "aarch64": "AARCH64"}

#: Calls answered with "Operation not permitted".
_FORBIDDEN = {
    "start a program": "execve execveat",
    "make or enter namespaces": "unshare setns",
    "mount": "mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr"
    " quotactl quotactl_fd swapon swapoff",
    "look into other processes": "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp",
    "keys of the kernel": "add_key request_key keyctl",
    "a large attack surface": "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register"
    " fanotify_init lookup_dcookie name_to_handle_at open_by_handle_at landlock_create_ruleset remap_file_pages vmsplice",
    "memory that counts as nobody's": "memfd_create memfd_secret shmget shmat shmctl shmdt semget semop semctl semtimedop"
    " msgget msgsnd msgrcv msgctl mq_open mq_unlink",
    "another personality": "personality modify_ldt uselib arch_prctl_ia32 vm86 vm86old",
    "locks, notices and looks into the cache, which two workers could talk by": "flock inotify_init inotify_init1"
    " inotify_add_watch mincore cachestat",
    "tables of which the machine has few places": "io_setup io_submit io_cancel io_getevents io_pgetevents io_destroy",
    "memory of other nodes": "mbind set_mempolicy set_mempolicy_home_node migrate_pages move_pages",
    "the machine": "acct reboot sethostname setdomainname init_module finit_module delete_module create_module"
    " kexec_load kexec_file_load iopl ioperm syslog settimeofday clock_settime clock_adjtime adjtimex stime vhangup"
    " nfsservctl _sysctl sysfs ustat sync syncfs",
}

#: Also where time or memory is measured, answered in the same way: ways to have the kernel keep what no process has mapped, in
#: links, attributes of files, pipes with a name, connections that wait, and messages with open files in them.
_WHEN_MEASURED = (
    "symlink symlinkat mknod mknodat setxattr lsetxattr fsetxattr setxattrat file_setattr listen sendmsg sendmmsg"
)

#: Answered with "Function not implemented", so that the C library uses an older call, whose arguments a filter can read.
_UNKNOWN = "clone3"

#: The newest call known to this list (map_shadow_stack). Later ones count as unknown, whatever they do.
_NEWEST = 453

_NO_SUCH = -1  # libseccomp's number for an unknown name

_NEW_NAMESPACES = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
#: Commands of fcntl: leases and notifications, which make the owner of a file wait when opening it; locks; and larger pipes.
_FILES = (1024, 1026, 5, 6, 7, 36, 37, 38, 1031)
_ROOM = (7, 8, 32, 33)  # options of sockets that make the kernel keep more for them: memory that counts as nobody's
_FORGET = (8, 20, 21)  # advice of madvise that lets the kernel reclaim memory, so that its use is not counted
_TERMINAL = (0x5412, 0x541C)  # requests of ioctl that put text into a terminal
_THREAD = 0x00010000  # a flag of clone
_WRITE, _SHARED, _ANONYMOUS = 2, 0x01, 0x20  # of mmap
_UNIX, _DATAGRAM, _KIND = 1, 2, 0x0F  # a family of sockets, a kind, and the part of an argument that names the kind
_FAMILIES = (1, 2, 10)  # of sockets: within the machine, and the internet's, of which the sandbox has none


def program(machine: str, fork: bool) -> bytes:
    """Return the BPF program for an architecture, such as ``x86_64``.

    Without ``fork``, for measurements, it also forbids new processes, and memory that the kernel counts for none.
    """
    import pyseccomp as seccomp  # needs the system's libseccomp

    wanted = getattr(seccomp.Arch, MACHINES[machine])
    built = seccomp.SyscallFilter(seccomp.ALLOW)
    if wanted != seccomp.system_arch():
        built.add_arch(wanted)
        built.remove_arch(seccomp.Arch.NATIVE)
    built.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)  # a binary tree: fewer comparisons for each call
    built.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)  # 32-bit calls, which have other numbers
    for number, name, conditions in _rules(seccomp, fork):
        built.add_rule(seccomp.ERRNO(number), name, *conditions)
    return _none_later_than(_NEWEST) + _exported(built)


def _rules(seccomp: Any, fork: bool) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
    """Yield rules: (error, system call, conditions on its arguments)."""
    for names in _FORBIDDEN.values():
        for name in names.split():
            if _exists(seccomp, name):
                yield errno.EPERM, name, ()
    yield errno.ENOSYS, _UNKNOWN, ()
    for flag in _NEW_NAMESPACES:
        yield errno.EPERM, "clone", (seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag),)
    for command in _FILES:
        yield errno.EPERM, "fcntl", (seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, command),)
    for advice in _FORGET:
        yield errno.EINVAL, "madvise", (seccomp.Arg(2, seccomp.MASKED_EQ, 0xFFFFFFFF, advice),)
    for request in _TERMINAL:
        yield errno.EPERM, "ioctl", (seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, request),)
    for option in _ROOM:
        yield (
            errno.EPERM,
            "setsockopt",
            (
                seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, socket.SOL_SOCKET),
                seccomp.Arg(2, seccomp.MASKED_EQ, 0xFFFFFFFF, option),
            ),
        )
    for name in ("socket", "socketpair"):
        for family in range(max(_FAMILIES)):
            if family not in _FAMILIES:
                yield errno.EAFNOSUPPORT, name, (seccomp.Arg(0, seccomp.EQ, family),)
        yield errno.EAFNOSUPPORT, name, (seccomp.Arg(0, seccomp.GT, max(_FAMILIES)),)
    if not fork:
        for name in ("fork", "vfork"):
            yield errno.EPERM, name, ()
        yield errno.EPERM, "clone", (seccomp.Arg(0, seccomp.MASKED_EQ, _THREAD, 0),)
        yield from _rules_when_measured(seccomp)


def _rules_when_measured(seccomp: Any) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
    for name in _WHEN_MEASURED.split():
        if _exists(seccomp, name):
            yield errno.EPERM, name, ()
    # A file cannot be written then, and a part of it that is mapped for a moment would not be seen.
    writes = seccomp.Arg(2, seccomp.MASKED_EQ, _WRITE, _WRITE)
    yield errno.EPERM, "mmap", (writes, seccomp.Arg(3, seccomp.MASKED_EQ, _SHARED | _ANONYMOUS, _SHARED))
    for name in ("socket", "socketpair"):  # of this kind one keeps what many have sent
        datagrams = seccomp.Arg(1, seccomp.MASKED_EQ, _KIND, _DATAGRAM)
        yield errno.EPERM, name, (seccomp.Arg(0, seccomp.EQ, _UNIX), datagrams)


def _exists(seccomp: Any, name: str) -> bool:
    """Return whether this libseccomp knows a call."""
    return bool(seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) != _NO_SUCH)


def _none_later_than(newest: int) -> bytes:
    """Return instructions that answer calls with a number above ``newest``, for which libseccomp has no rule, with ENOSYS."""
    # BPF_LD|W|ABS, BPF_JMP|JGT|K, BPF_RET|K, SECCOMP_RET_ERRNO
    load, greater, answer, error = (0x20, 0x25, 0x06, 0x00050000)
    instruction = struct.Struct("=HBBI")
    return b"".join(
        instruction.pack(*fields)
        for fields in ((load, 0, 0, 0), (greater, 0, 1, newest), (answer, 0, 0, error | errno.ENOSYS))
    )


def _exported(built: Any) -> bytes:
    with tempfile.TemporaryFile() as file:
        built.export_bpf(file)
        file.seek(0)
        return file.read()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for machine in MACHINES:
        (FOLDER / f"{machine}.bpf").write_bytes(program(machine, fork=True))
        (FOLDER / f"{machine}-alone.bpf").write_bytes(program(machine, fork=False))


if __name__ == "__main__":
    main()
