"""Time and memory are measured from outside: an answer that lies about itself, or hides what it uses, is found out."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from known import LESSONS

from autograder.runtime.errors import CheckFailure
from autograder.sandbox.outside.process import socket_buffer
from autograder.sandbox.outside.remote import RemoteStudent
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session
from autograder.verdict.runner import run_single

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

NAME, LESSON = "blockwise_attention", LESSONS.of("01-attention")
MB = 2**20
N = 4096

LIES = """
import math, mmap, os, torch
from autograder.runtime import measure
from autograder.runtime.local import LocalStudent
LocalStudent.peak_memory = lambda self, *args, **kwargs: 1000
measure.count_operations = lambda *args, causal=False, **kwargs: 10 if causal else 100
SIZE = 4 * 4096 * 4096
def whole(Q, K, V, causal, E):
    torch.matmul(Q[0, 0] / math.sqrt(Q.shape[-1]), K[0, 0].mT, out=E)
    for i in range(0, len(E), 64):
        if causal:
            E[i:i + 64].masked_fill_(torch.arange(len(E)) > torch.arange(i, i + 64)[:, None], -math.inf)
        E[i:i + 64] = torch.softmax(E[i:i + 64], -1)
    return (E @ V[0, 0])[None, None]
def view(buffer, n):
    return torch.frombuffer(buffer, dtype=torch.float32, count=n * n).view(n, n)
"""

HIDDEN = {
    "room touched when it is defined": """
ROOM = torch.ones(N * N)
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    n = Q.shape[-2]
    return whole(Q, K, V, causal, ROOM[: n * n].view(n, n))
""",
    "room that is given back in the call": """
ROOMS = [mmap.mmap(-1, SIZE) for _ in range(4)]
for room in ROOMS: view(room, N).fill_(1)
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    n = Q.shape[-2]
    room = ROOMS.pop()
    Y = whole(Q, K, V, causal, view(room, n))
    room.close() if False else None
    return Y
""",
    "room that the kernel is asked to forget": """
ROOM = mmap.mmap(-1, SIZE)
view(ROOM, N).fill_(1)
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    Y = whole(Q, K, V, causal, view(ROOM, Q.shape[-2]))
    for advice in (20, 21, 8):
        try: ROOM.madvise(advice)
        except OSError: pass
    return Y
""",
    "new room in the call": """
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    n = Q.shape[-2]
    return whole(Q, K, V, causal, torch.empty(n, n))
""",
}


def drawn(n):
    return tuple(torch.randn(1, 1, n, 64) for _ in range(3))


@pytest.fixture(scope="module")
def box():
    with Sandbox(threads=1, libraries=LESSON.libraries_in("")) as started:
        yield started


@pytest.fixture
def student(box):
    opened = []

    def make(*cells):
        session = Session(box, LESSON.forbidden, libraries=LESSON.libraries_in(""))
        opened.append(session)
        for cell in cells:
            assert session.run_cell(cell).error is None
        return RemoteStudent(session, {"": ""}, LESSON)

    yield make
    for session in opened:
        session.close()


@pytest.mark.parametrize("way", HIDDEN)
def test_the_whole_matrix_is_seen_wherever_it_lies(student, way):
    there = student(LIES, f"N = {N}", HIDDEN[way])
    assert there.peak_memory(NAME, lambda: drawn(N), causal=True) > 4 * N * N


def test_an_honest_answer_passes(student):
    there = student(
        "import math, torch\n"
        "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n"
        "    rows = [torch.softmax(q @ K.mT / math.sqrt(Q.shape[-1]), -1) @ V for q in Q.split(block_size, -2)]\n"
        "    return torch.cat(rows, -2)\n"
    )
    assert 2 * MB < there.peak_memory(NAME, lambda: drawn(N)) < 8 * MB


def test_memory_is_measured_with_other_numbers_in_each_call(student):
    """What the first call has kept would answer the second, whose memory the kernel measures."""
    same = drawn(16)
    with pytest.raises(ValueError, match="different numbers"):
        student("blockwise_attention = None").peak_memory(NAME, lambda: tuple(x.clone() for x in same))


def test_the_result_of_the_call_whose_memory_is_measured_has_to_be_right(student):
    there = student("def blockwise_attention(Q, K, V, causal=False, block_size=64):\n    return V\n")
    with pytest.raises(CheckFailure, match="wrong values") as found:
        there.peak_memory(NAME, lambda: drawn(512))
    assert found.value.setting == "while its memory was measured"


READ_A_LIBRARY = """
import mmap, pathlib, torch
path = max(pathlib.Path(torch.__file__).parent.glob('lib/*.so'), key=lambda path: path.stat().st_size)
with path.open('rb') as file:
    room = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
sum(room[i] for i in range(0, len(room), 4096))
"""


def test_pages_of_libraries_that_another_process_uses_do_not_count(student):
    there = student(
        READ_A_LIBRARY, "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n    return Q * 1\n"
    )
    with there.session.measuring("memory"):
        process = there.session.worker().process
        process.watch_memory()
        # As it ends, the kernel marks what it has used.
        subprocess.run([sys.executable, "-c", READ_A_LIBRARY], check=True)
        rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        [marked] = [int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Referenced:")]
        assert marked * 1024 > 100 * MB  # otherwise this test shows nothing
        assert process.held() < 4 * MB


def test_while_memory_is_measured_no_file_can_hold_any(student):
    there = student(
        "import os\nFILE = os.open('/tmp/room', os.O_RDWR | os.O_CREAT)\n"
        "def blockwise_attention(*_, **__):\n"
        "    try: told.append(os.pwrite(FILE, b'x' * 2**20, 0))\n"
        "    except OSError as error: told.append(error.errno)\n"
        "    import torch\n    return torch.tensor(told[-1])\n",
        "told = []",
    )
    with there.session.measuring("memory"):
        process = there.session.worker().process
        assert there.call(NAME) == MB
        process.watch_memory()
        assert there.call(NAME) == 27  # EFBIG


@pytest.mark.parametrize(
    "way",
    [
        "os.symlink('x' * 4000, 'link')",
        "os.setxattr('file', 'user.x', bytes(2**15))",
        "os.mkfifo('pipe')",
        "mmap.mmap(os.open('file', os.O_RDWR), 2**20)",
        "listening = socket.socket(socket.AF_UNIX); listening.bind(b'\\0room'); listening.listen()",
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)",
        "socket.send_fds(socket.socketpair()[0], [b'x'], os.pipe())",
    ],
)
def test_where_memory_is_measured_none_can_lie_where_no_process_has_it(box, way):
    session = Session(box)
    worker = session.start((), {}, "memory")
    made = "import mmap, os, socket\nwith open('file', 'wb') as file: file.write(bytes(2**20))\n"
    for text, told in ((made, None), (way, "PermissionError")):
        error = worker.ask("run", {"text": text})[0]["error"]
        assert (error and error["ename"]) == told
    worker.close()
    session.close()


def test_names_of_files_made_while_memory_is_measured_count(student):
    there = student(
        "import os, torch\n"
        "def blockwise_attention(*_, **__):\n"
        "    for number in range(15000): os.close(os.open(f'/tmp/{number:0200}', os.O_CREAT))\n"
        "    return torch.zeros(1)\n"
    )
    with there.session.measuring("memory"):
        process = there.session.worker().process
        process.watch_memory()
        there.call(NAME)
        assert process.held() > 14 * MB


@pytest.mark.parametrize("before", [True, False], ids=["opened before", "opened in the call"])
@pytest.mark.parametrize("kind", ["pipes", "sockets"])
def test_while_memory_is_measured_what_the_kernel_keeps_is_little_or_counts(student, kind, before):
    """A pipe's and a socket's buffers belong to no process."""
    there = student(
        "import contextlib, fcntl, os, socket, torch\nENDS = []\n"
        "def pipes():\n"
        "    r, w = os.pipe()\n"
        "    ENDS.append([r, w])\n"
        "    os.set_blocking(w, False)\n"
        "    with contextlib.suppress(OSError): fcntl.fcntl(w, 1031, 2**20)\n"
        "def sockets():\n"
        "    pair = socket.socketpair()\n"
        "    ENDS.append(pair)\n"
        "    for end in pair:\n"
        "        end.setblocking(False)\n"
        "        with contextlib.suppress(OSError): end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)\n"
        "def fill():\n"
        "    kept = 0\n"
        "    for ends in ENDS:\n"
        "        for end in ends:\n"
        "            write = end.send if hasattr(end, 'send') else lambda data: os.write(end, data)\n"
        "            with contextlib.suppress(OSError):\n"
        "                while True: kept += write(bytes(4096))\n"
        "    return kept\n"
        f"def open_all():\n    with contextlib.suppress(OSError):\n        while len(ENDS) < 30: {kind}()\n"
        f"if {before}: open_all()\n"
        "def blockwise_attention(*_, **__):\n    open_all()\n    return torch.tensor(fill())\n"
    )
    with there.session.measuring("memory"):
        process = there.session.worker().process
        process.watch_memory()
        kept = int(there.call(NAME))
        held = process.held()
    assert kept >= MB / 4
    few = 8 * socket_buffer() + MB  # eight more may be opened
    assert kept - held < few, f"{kept / MB:.1f} MB kept, of which {held / MB:.1f} were counted"


@pytest.mark.nightly(reason="counts every operation for a minute")
def test_forged_counts_and_discarded_not_a_numbers_do_not_hide_work(student):
    there = student(
        LIES,
        "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n"
        "    E = torch.nan_to_num(Q) @ torch.nan_to_num(K).mT / math.sqrt(Q.shape[-1])\n"
        "    if causal:\n"
        "        E = torch.where(torch.ones(E.shape[-2:], dtype=torch.bool).tril(), E, -math.inf)\n"
        "    return torch.softmax(E, -1) @ torch.nan_to_num(V)\n",
    )
    report = run_single(NAME, there, 7)
    lost = {result.name for result in report.results if result.points and not result.passed}
    assert {"check_hidden_blocks_are_skipped", "check_memory_is_linear"} <= lost, str(report)


def test_a_fast_wrong_result_hides_no_work(student):
    there = student(
        "import math, torch\n"
        "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n"
        "    if causal: return torch.zeros_like(Q)\n"
        "    return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), -1) @ V\n"
    )
    part, whole = ({"causal": causal} for causal in (True, False))
    with pytest.raises(CheckFailure, match="wrong values") as found:
        there.work_ratio(NAME, lambda: drawn(512), part, whole, 0.95)
    assert found.value.setting == "while it was timed"


def test_no_child_process_can_hide_time(student):
    there = student(
        "import os, torch\n"
        "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n"
        "    return torch.tensor(os.fork())\n"
    )
    with there.session.measuring("time"), pytest.raises(Exception, match="Operation not permitted"):
        there.call(NAME, None, None, None)


def test_the_reference_process_sees_no_file_of_the_submission(box):
    session = Session(box, files={"torch.py": b"raise SystemExit", "math.py": b"", "autograder.py": b""})
    rival = session.start((), {}, "time")
    found = rival.ask("run", {"text": "import os\nprint(os.listdir('/inside/home'), os.listdir('/tmp'))"})[0]["outputs"]
    session.close()
    rival.close()
    assert found[0]["text"].startswith("[] ")
