"""Before any byte of a submission reaches a worker, everything protective stands; if anything of it fails, there is no worker."""

import dataclasses
import platform
import struct

import pytest

from autograder.sandbox.inside import protocol
from autograder.sandbox.inside.protocol import SetUp, from_bytes
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside import mounts, sandbox
from autograder.sandbox.outside.sandbox import Sandbox, SandboxMissing, SetUpFailed
from autograder.sandbox.outside.session import Session

pytestmark = pytest.mark.sandbox

GOOD = SetUp(limits=Limits().inside())


@pytest.mark.parametrize(
    "wrong",
    [
        {"limits": {}},
        {"limits": GOOD.limits | {"memory": "much"}},
        {"limits": GOOD.limits | {"processes": -7}},
        {"threads": 0},
        {"forbid": ("torch.nn.functional.softmax", 7)},
        {"lesson": 7},
    ],
)
def test_an_error_while_a_worker_begins_ends_it(box, wrong):
    with pytest.raises(SandboxMissing, match="A worker did not start"):
        box.spawn(dataclasses.replace(GOOD, **wrong))
    worker = box.spawn(GOOD)  # the next one is not affected
    assert worker.ask("run", {"text": "1"})[0]["error"] is None
    worker.close()


@pytest.mark.slow
def test_without_its_system_calls_a_worker_does_not_start(monkeypatch, tmp_path):
    monkeypatch.setattr(mounts, "program", lambda kind: tmp_path / f"empty{kind}")
    for kind in ("", "-alone"):
        (tmp_path / f"empty{kind}").write_bytes(b"")
    with Sandbox(Limits()) as box, pytest.raises(SandboxMissing, match="seccomp"):
        box.spawn(GOOD)


def test_settings_survive_the_way():
    settings = SetUp(("torch.relu",), "a.b", 3, {"memory": 5}, "time")
    assert from_bytes(settings.as_bytes()) == settings


LONG = "/".join(["a" * 150] * 3 + ["b" * 100, "notes.txt"])


def test_a_long_path_arrives_whole(box):
    session = Session(box, files={LONG: b"x"})
    assert session.run_cell(f"open({LONG!r}).read()").outputs[0]["data"]["text/plain"] == "'x'"
    session.close()


@pytest.mark.parametrize(
    "name", ["a/" * 99 + "../../x", "../outside", "/inside/autograder/x.py", "x\0y", "z" * 300, ""]
)
def test_a_file_that_cannot_be_written_stops_the_submission(box, name):
    session = Session(box, files={name: b"x"})
    with pytest.raises(SetUpFailed):
        session.worker()


def test_as_many_files_as_may_be_handed_in_arrive(box):
    session = Session(box, files={f"{n}.txt": b"x" for n in range(1500)})
    assert session.run_cell("import os\nlen(os.listdir())").outputs[0]["data"]["text/plain"] == "1500"
    session.close()


@pytest.mark.parametrize("value", [{"k" * 5000: 1}, [0] * 30_000, {n: n for n in range(30_000)}])
def test_nothing_is_cut_on_the_way(value):
    with pytest.raises(ValueError):
        protocol.pack(value, protocol.Packing())


# ------------------------------------------------------------ another user


@pytest.mark.skipif(not sandbox.free_user(), reason="only root can give the sandbox another user")
def test_a_submission_runs_as_a_user_who_owns_nothing(session):
    pid = session.worker().process.pid
    with open(f"/proc/{pid}/status") as file:
        users = {line.split()[1] for line in file if line.startswith(("Uid:", "Gid:"))}
    assert users == {str(sandbox.free_user())}


@pytest.mark.slow
def test_where_no_user_can_be_mapped_the_sandbox_starts_as_the_graders(monkeypatch):
    monkeypatch.setattr(sandbox, "_mapped", lambda pid, text: False)
    with Sandbox(Limits()) as box:
        session = Session(box)
        assert session.run_cell("6 * 7").outputs[0]["data"]["text/plain"] == "42"
        session.close()


# ------------------------------------------------------------ system calls


@pytest.mark.parametrize(
    "call",
    [
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.memfd_create('room')",
        "fcntl.fcntl(open('/inside/course_lib/__init__.py'), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        "fcntl.fcntl(os.open('/tmp', os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_CREATE)",
        "libc('ptrace', 0, 0, 0, 0)",
        "libc('unshare', 0x10000000)",
        "libc('mount', b'none', b'/tmp', b'tmpfs', 0, None)",
        "libc('personality', 0)",
        "libc('shmget', 0, 2**20, 0o1600)",
        "libc('syscall', 250, 0, 0)",
        "libc('syscall', 425, 8, None)",
        "libc('syscall', 323, 1)",
        "libc('syscall', 321, 0, None, 0)",
        "libc('syscall', 298, None, 0, -1, -1, 0)",
    ],
)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
def test_system_calls_that_no_notebook_needs_are_refused(run, call):
    run(
        "import ctypes, fcntl, os\nown = ctypes.CDLL(None, use_errno=True)\ndef libc(name, *arguments):\n"
        "    if getattr(own, name)(*arguments) == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))"
    )
    told = run(call)
    assert "NotAvailableHere" in told or "PermissionError: [Errno 1]" in told or "[Errno 1] Operation not" in told


def test_machine_code_that_a_submission_brings_is_not_loaded(run):
    """A copy of a library of Python's own: harmless, but it could be any other. The kernel refuses, whatever the path says."""
    run("import _heapq, importlib.util as util, shutil\nshutil.copy(_heapq.__file__, 'mine.so')")
    for path in ("mine.so", "/inside/home/mine.so", "//inside/home/mine.so", "/inside/course_lib/../home/mine.so"):
        told = run(
            f"spec = util.spec_from_file_location('_heapq', {path!r})\nprint(util.module_from_spec(spec).heappush)"
        )
        assert "NotAvailableHere: Compiled modules that came" in told
    for folder in ("/inside/home", "/tmp", "/dev/shm"):
        told = run(f"import ctypes\nshutil.copy('mine.so', '{folder}/other.so')\nctypes.CDLL('{folder}/other.so')")
        assert "failed to map segment" in told or "Operation not permitted" in told


def test_alone_a_worker_has_threads_and_no_other_process(box):
    session = Session(box)
    worker = session.start((), {}, "time")
    text = (
        "import os, threading\nthread = threading.Thread(target=print, args=('here',))\nthread.start(); thread.join()"
    )
    assert worker.ask("run", {"text": text})[0]["error"] is None
    assert worker.ask("run", {"text": "os.fork()"})[0]["error"]["ename"] == "PermissionError"
    worker.close()
    session.close()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_programs_of_the_kernel_are_those_that_libseccomp_builds(machine):
    pytest.importorskip("pyseccomp", exc_type=(ImportError, RuntimeError))
    from autograder.authoring import system_calls

    for kind, fork in (("", True), ("-alone", False)):
        stored = mounts.program(kind, machine).read_bytes()
        assert len(stored) % struct.calcsize("HBBI") == 0
        assert stored == system_calls.program(machine, fork)
