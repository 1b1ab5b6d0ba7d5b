"""Outside: resource use of a worker and its descendants, as reported by the kernel."""

import contextlib
import functools
import itertools
import os
import re
import resource
import select
import signal
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from autograder.sandbox.inside.namespaces import WRITABLE

_TICKS = os.sysconf("SC_CLK_TCK")
#: Python's own objects, and a process's copies of pages of libraries: 7 to 8 MB were measured for a small call.
_ANY_CALL = 10 * 2**20

#: What Linux keeps at most for a socket that nobody reads, in bytes, where the machine does not say; for a pipe it is less.
_BUFFER = 212_992
#: Sockets and pipes that an honest worker may have: one of its own, and those of an event loop.
_OWN = 4
#: What a socket of each kind may hold, in such buffers. One of the kind 2 keeps whole messages, each of which counts for the
#: socket that has sent it, open or not: ten and the last. Half of each is for what the kernel keeps beside the bytes.
_BUFFERS = {1: 2, 2: 22, 5: 2}
#: Bytes of the kernel's list of sockets that are read. A longer one has more sockets than any notebook.
_LIST = 2**20
#: A socket in that list: number, users, protocol, flags, kind. A name with line breaks in it can only add lines.
_SOCKET = re.compile(rb"^[0-9a-f]+: [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ 000([125]) ", re.MULTILINE)
#: What a file in memory takes beside its content (its name, its attributes, the target of a short link), and how many an honest
#: worker may have while memory is measured: a file can get another name then.
_A_FILE, _OWN_FILES = 1024, 2000
#: Files that can still be opened while memory is measured. What a function imports, an earlier call has opened.
_FILES_LEFT = 8

#: Fields of a process's status that count as memory: resident, swapped, page tables, and huge pages.
_KEPT = ("VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:")


class NotMeasured(Exception):
    """The kernel does not report how much memory a process uses, so a measurement cannot be trusted."""


class Process:
    """Process 1 of a worker's namespace, seen from outside. Killing it makes the kernel kill all others in the namespace."""

    def __init__(self, pid: int):
        self.pid = pid
        self.handle = os.pidfd_open(pid)
        self.begin = self.before = self.resident()
        self.buffered = self._kept_before = self._most_kept = 0
        self._sockets_before = _in_sockets(_teller(pid))

    def kill(self) -> None:
        """Kill the worker and all its descendants."""
        if self.handle >= 0:
            self._signal(signal.SIGKILL)
            os.close(self.handle)
            self.handle = -1

    def descendants(self) -> Iterator[int]:
        """Yield the process ids of all descendants."""
        waiting = [self.pid]
        while waiting:
            for child in _children(waiting.pop()):
                yield child
                waiting.append(child)

    def stop(self) -> None:
        """Suspend the worker."""
        self._signal(signal.SIGSTOP)

    def end_others(self) -> bool:
        """Kill the processes that the student's code has left running. Returns whether there were any."""
        killed, running = set[int](), set(self.descendants())
        while running - killed:  # one that was just starting another
            for pid in running - killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed |= running
            running = set(self.descendants())
        return bool(killed)

    def go_on(self) -> None:
        """Resume the worker."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self.handle >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, number)

    def count(self) -> int:
        return 1 + sum(1 for _ in self.descendants())

    def cpu(self) -> float:
        """Return the processor seconds of the worker and its descendants, over all threads."""
        total = _cpu_clock(self.pid) + _reaped(self.pid)
        return total + sum(_cpu_clock(pid) + _reaped(pid) for pid in self.descendants())

    def waiting(self) -> dict[int, float]:
        """Return, for each thread of the worker and its descendants, the seconds spent waiting for a processor."""
        seconds_by_thread: dict[int, float] = {}
        for pid in (self.pid, *self.descendants()):
            seconds_by_thread |= _waiting(pid)
        return seconds_by_thread

    def ended(self) -> bool:
        """Return whether the worker's process has ended; the kernel then reports nothing more about it."""
        return self.handle < 0 or bool(select.select([self.handle], [], [], 0)[0])

    def resident(self) -> int:
        """Return the memory of the worker and its descendants in bytes, including page tables and swap."""
        return sum(_resident(pid) for pid in (self.pid, *self.descendants()))

    def kept(self) -> int:
        """Return the bytes that the kernel keeps for the worker outside of its processes: files in its writable folders, with
        their names and attributes, and what its sockets may hold.
        """
        teller = _teller(self.pid)
        rooms = [*_rooms(teller)]
        kept = _bytes_in(rooms) + _A_FILE * _files_in(rooms) + max(0, _in_sockets(teller) - self._sockets_before)
        self._most_kept = max(self._most_kept, kept)
        return kept

    def written(self) -> int:
        """Return the number of bytes in the worker's writable folders. They are held in memory."""
        return _bytes_in(_rooms(_teller(self.pid)))

    def watch_memory(self) -> None:
        """Begin the measurement that :meth:`held` returns. From now on the process cannot write files, which use memory too, and
        can open a few only.

        Raises NotMeasured where the kernel does not let this process measure another.
        """
        with contextlib.suppress(ProcessLookupError):  # it has ended
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (0, 0))
            files = _open_files(self.pid)
            most = min(_limit_for(files), resource.prlimit(self.pid, resource.RLIMIT_NOFILE)[1])
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (most, most))
            ends = sum(name.startswith(("socket:", "pipe:")) for name in files.values())
            self.buffered = socket_buffer() * max(0, ends - _OWN) + _A_FILE * max(
                0, _files_in(_rooms(_teller(self.pid))) - _OWN_FILES
            )
        try:
            for code in ("5", "1"):  # the peak, and which pages have been used
                Path(f"{_teller(self.pid)}/clear_refs").write_text(code)
        except OSError:
            raise NotMeasured from None
        self.before = _kilobytes(_teller(self.pid), "VmRSS:")
        self._most_kept = 0
        self._kept_before = self.kept()  # its files cannot be changed any more

    def held(self) -> int:
        """Return the bytes of memory that the process has used since :meth:`watch_memory`, newly allocated or already held.

        Freed memory counts, because it may have been used before, and so does what the kernel may keep for the sockets and pipes
        that were open, and what it has kept elsewhere at any time. A constant for any call of PyTorch is deducted.
        """
        self.kept()
        peak, rest = (_kilobytes(_teller(self.pid), name) for name in ("VmHWM:", "VmRSS:"))
        outside = self.buffered + self._most_kept - self._kept_before
        return max(peak - min(self.before, rest), _used(_teller(self.pid)) - _ANY_CALL) + outside


@functools.cache
def socket_buffer() -> int:
    """Return the bytes that the kernel of this machine keeps at most for a socket whose buffer was not enlarged."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/proc/sys/net/core/wmem_default").read_text())
    return _BUFFER


def _rooms(process: str) -> Iterator[os.statvfs_result]:
    """Yield what the kernel says about the file systems of a worker's writable folders."""
    for folder in WRITABLE:
        with contextlib.suppress(OSError):
            yield os.statvfs(f"{process}/root{folder}")


def _in_sockets(process: str) -> int:
    """Return the bytes that the sockets of a worker's network namespace may hold at most.

    Not only those that a process has open: a connection waits to be accepted, and a socket can be on its way in another one.
    All of them are of the kind "unix": a new namespace has its loopback device down, and no worker can raise it.
    """
    data = _read(f"{process}/net/unix", _LIST)
    if len(data) >= _LIST:
        return 2**40
    return socket_buffer() * sum(_BUFFERS[int(kind)] for kind in _SOCKET.findall(data))


def _open_files(pid: int) -> dict[int, str]:
    """Return what a process has open, by number, such as ``socket:[123]``."""
    files = dict[int, str]()
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            files[int(number)] = os.readlink(f"/proc/{pid}/fd/{number}")
    except PermissionError:
        raise NotMeasured from None
    except FileNotFoundError:
        raise ProcessLookupError from None
    return files


def _bytes_in(rooms: Iterable[os.statvfs_result]) -> int:
    return sum((room.f_blocks - room.f_bfree) * room.f_frsize for room in rooms)


def _files_in(rooms: Iterable[os.statvfs_result]) -> int:
    """Return the number of files in these file systems. A long attribute counts as several."""
    return sum(room.f_files - room.f_ffree for room in rooms)


def _limit_for(files: Collection[int]) -> int:
    """Return the limit of numbers of files below which so many as :data:`_FILES_LEFT` are free."""
    free = (number for number in itertools.count() if number not in files)
    return next(itertools.islice(free, _FILES_LEFT - 1, None)) + 1


def _read(path: str, most: int = 2**16) -> bytes:
    """Return the content of a small file of /proc, or its first bytes; empty if the process has ended. Called very often."""
    try:
        number = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        data = os.read(number, most)
        while most > 2**16 and len(data) < most and (more := os.read(number, most - len(data))):
            data += more  # the list of sockets comes page by page
        return data
    except OSError:
        return b""
    finally:
        os.close(number)


def _threads(pid: int) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def _children(pid: int) -> list[int]:
    return [int(child) for thread in _threads(pid) for child in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _cpu_clock(pid: int) -> float:
    """Return the processor seconds of a process, 0 if it has ended. For the number of its clock see clock_getcpuclockid(3)."""
    with contextlib.suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)
    return 0.0


def _reaped(pid: int) -> float:
    """Return the processor time of children that have ended and been reaped, in seconds."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return (int(fields[13]) + int(fields[14])) / _TICKS if len(fields) > 14 else 0.0


def _waiting(pid: int) -> dict[int, float]:
    """Return the time that each thread of a process has spent in a processor queue, from schedstat."""
    schedstats = {int(thread): _read(f"/proc/{pid}/task/{thread}/schedstat").split() for thread in _threads(pid)}
    return {thread: int(fields[1]) / 1e9 for thread, fields in schedstats.items() if len(fields) > 1}


def _teller(pid: int) -> str:
    """Return the /proc folder of a live thread: one that has ended, even the first, no longer reports memory."""
    places = (f"/proc/{thread}" for thread in (pid, *_threads(pid)))
    return next((place for place in places if _kilobytes(place, "VmRSS:")), f"/proc/{pid}")


def _resident(pid: int) -> int:
    """Return the memory of one process in bytes."""
    return _kilobytes(f"/proc/{pid}", *_KEPT) or _kilobytes(_teller(pid), *_KEPT)


def _used(process: str) -> int:
    """Return the bytes of memory, files in writable folders included, that a process has used since its pages were marked unused.

    Pages of a library count only if they are private copies: the kernel marks shared pages as used when any process that shares
    them ends, so on a busy machine they would count against an answer that never touched them.
    """
    writable = set()
    for folder in WRITABLE:
        with contextlib.suppress(OSError):
            writable.add(os.stat(f"{process}/root{folder}").st_dev)
    total, shared, used = 0, False, 0
    try:
        lines = Path(process, "smaps").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    if not lines:
        raise NotMeasured
    for line in lines:
        name, *numbers = line.split()
        if not name.endswith(":"):  # a new part of the memory: "start-end permissions offset device inode path"
            device, inode = numbers[2:4]
            in_room = os.makedev(*(int(part, 16) for part in device.split(":"))) in writable
            shared = inode != "0" and not in_room and not line.rstrip().endswith("(deleted)")  # of memfd, too
        elif name == "Referenced:":
            used = int(numbers[0]) * 1024
        elif name == "Anonymous:":
            total += min(used, int(numbers[0]) * 1024) if shared else used
    return total


def _kilobytes(process: str, *names: str) -> int:
    """Return the sum, in bytes, of lines such as ``VmHWM: 100 kB`` in a process's status; 0 if there are none."""
    return 1024 * sum(int(number) for number in _lines(names).findall(_read(f"{process}/status")))


@functools.cache
def _lines(names: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(rb"^(?:%s)\s*(\d+)" % b"|".join(name.encode() for name in names), re.MULTILINE)
