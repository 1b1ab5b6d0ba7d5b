"""What a process uses is told by all of its threads, and what is not told is not believed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.sandbox.outside.process import NotMeasured, Process

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")

MB = 2**20

#: Its first thread ends, by the system call that ends no other, and another one goes on.
ANOTHER_SERVES = """
import ctypes, sys, threading
def serve():
    room = []
    for line in sys.stdin:
        room.append(b"x" * (int(line) * 2**20))
        print("held", flush=True)
threading.Thread(target=serve).start()
ctypes.CDLL(None).syscall({exit}, 0)
"""

#: A mapping of zeros is read at one place in each two megabytes: each read needs a page of the tables, and no other.
TABLES = """
import mmap, sys
with open(sys.executable, "rb") as file:
    maps = [mmap.mmap(-1, 2**35, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ) for _ in range(2)]
    sum(room[place] for room in maps for place in range(0, 2**35, 2**21))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def started():
    """Start a program in Python, wait until it says so, and return it with what watches it."""
    running = []

    def start(text, *lines):
        child = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        watched = Process(child.pid)
        running.append((child, watched))
        for line in lines:
            tell(child, line)
        return child, watched

    yield start
    for child, watched in running:
        watched.kill()
        child.communicate()


def tell(child, line):
    child.stdin.write(f"{line}\n")
    child.stdin.flush()
    assert child.stdout.readline() == "held\n"


def first_thread_has_ended(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.fixture
def served_by_another(started):
    number = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    child, watched = started(ANOTHER_SERVES.format(exit=number), 1)
    while not first_thread_has_ended(child.pid):
        time.sleep(0.01)
    return child, watched


def test_the_memory_of_a_process_whose_first_thread_has_ended_counts(served_by_another):
    child, watched = served_by_another
    before = watched.resident()
    tell(child, 100)
    assert watched.resident() - before > 90 * MB
    assert not watched.ended()


def test_what_it_uses_while_it_is_measured_counts(served_by_another):
    child, watched = served_by_another
    watched.watch_memory()
    tell(child, 100)
    assert watched.held() > 90 * MB


def test_its_time_counts(served_by_another):
    child, watched = served_by_another
    before = watched.cpu()
    for _ in range(20):
        tell(child, 20)
    assert watched.cpu() > before > 0


def test_the_tables_of_pages_are_memory(started):
    child, watched = started(TABLES)
    assert child.stdout.readline() == "held\n"
    assert watched.resident() > 2 * 2**35 / 2**21 * 4096


def refused(*_, **__):
    raise PermissionError


def test_a_process_that_cannot_be_measured_is_not_believed(started, monkeypatch):
    """The kernel may let the grader see only the status of another process."""
    child, watched = started("print('held', flush=True); input()")
    assert child.stdout.readline() == "held\n"
    watched.watch_memory()
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(NotMeasured):
        watched.held()
    monkeypatch.setattr(Path, "write_text", refused)
    with pytest.raises(NotMeasured):
        watched.watch_memory()
