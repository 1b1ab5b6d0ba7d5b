"""Whatever a submission sends, the process that grades it stays small: a check holds little more than honest answers take."""

import json
import subprocess
import sys

import pytest
from some_cases import only

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

#: Exercises of each kind of result: a tensor, a module, a number, lists of indices, captions, merges of tokens, a text, indices.
EXERCISES = {
    "01-attention": ["softmax", "SelfAttention"],
    "05-translation": ["warmup_rate", "beam_search"],
    "06-captioning": ["greedy_caption"],
    "07-language-models": ["train_bpe", "bpe_decode"],
    "13-retrieval": ["hard_negatives"],
}
IN_EVERY_RUN = ("13-retrieval",)

#: A cell that sends what ``CHOSEN`` names in place of each result.
CELL = """
from autograder.sandbox.inside import protocol
import json

def of_shape(shape, dtype, count, size):
    return {"tensor": dtype, "shape": shape, "count": count, "at": 0}, bytes(size)

N, LONG = protocol.MAX_NUMBERS - 1000, "\\U0001f600" * 300_000
NAMES = [[f"{n:>400}", 1] for n in range(9000)]
VALUES = {
    "list": lambda: ({"list": [1] * 19_000}, b""),
    "nested": lambda: ({"list": [{"list": [{"list": []}] * 18}] * 1000}, b""),
    "too nested": lambda: ({"list": [{"list": []}] * 60_000}, b""),
    "tensor": lambda: of_shape([N], "float64", N, 8 * N),
    "whole numbers": lambda: of_shape([N], "int64", N, 8 * N),
    "rows": lambda: of_shape([N, 1], "int64", N, 8 * N),
    "without width": lambda: of_shape([N, 0], "int64", 0, 0),
    "too many without width": lambda: of_shape([10**8, 0], "int64", 0, 0),
    "too many bytes": lambda: of_shape([60 * 2**20], "uint8", 60 * 2**20, 60 * 2**20),
    "too long": lambda: of_shape([500 * 2**20], "uint8", 500 * 2**20, 500 * 2**20),
    "text": lambda: ("\\U0001f600" * 100_000, b""),
    "texts": lambda: ({"list": ["x" * 90_000] * 40}, b""),
    "too long a text": lambda: (LONG, b""),
    "dictionary": lambda: ({"dict": NAMES}, b""),
    "parameters": lambda: (None, b""),
    "printed": lambda: (None, b""),
    "message": lambda: (None, b""),
}

def forged(header, body):
    if CHOSEN == "printed":
        return header | {"printed": LONG}, body
    if CHOSEN == "message":
        return {"ticket": header["ticket"], "failure": {"kind": "crash", "message": LONG, "yours": LONG[:9]}}, b""
    value, own = VALUES[CHOSEN]()
    if "answer" in header and CHOSEN == "parameters":
        one = {"tensor": "float32", "shape": [1], "count": 1, "at": 0}
        header["answer"]["parameters"] = {"dict": [[name, one] for name, _ in NAMES[:2000]]}
        return header, body or bytes(4)
    if "answer" in header:
        after = header["answer"]["args_after"]["tuple"]
        empty = {"value": value, "args_after": {"tuple": [None] * len(after)}, "gradients": {"list": []}}
        return header | {"answer": empty | {"parameter_gradients": {"dict": []}, "parameters": {"dict": []}}}, own
    return header | ({"value": value} if "value" in header else {}), own if "value" in header else body

def send(connection, header, packing=None):
    body = b"".join(packing.parts) if packing else b""
    if CHOSEN and "outputs" not in header:  # not where a cell was run
        if "failure" in header and CHOSEN != "message":
            header = {"ticket": header["ticket"], "answer": {"args_after": {"tuple": [None]}}}
        header, body = forged(header, body)
    text = json.dumps(header).encode()
    connection.sendall(protocol._HEAD.pack(len(text), len(body)) + text)
    connection.sendall(body)

protocol.send, CHOSEN = send, ""
"""

SCRIPT = """
import json, sys
from pathlib import Path
from autograder.content.lesson import Lessons
from autograder.content.references import source_of
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside.remote import RemoteStudent
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session
from autograder.verdict.runner import run_single

cell, assignment, exercises = json.loads(sys.stdin.read())
lesson = Lessons().of(assignment)

def peak():
    status = Path("/proc/self/status").read_text()
    found = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    Path("/proc/self/clear_refs").write_text("5")
    return found

told = {}
with Sandbox(Limits(stops=1000, total_cpu=10_000), libraries=lesson.libraries_in("")) as box:
    for exercise in exercises:
        session = Session(box, lesson.forbidden, libraries=lesson.libraries_in(""))
        session.run_cell("import math, torch; import torch.nn.functional as F; from torch import nn")
        session.run_cell("from course_lib.layers import TableDecoder")
        session.run_cell(source_of(lesson, [exercise]))
        assert session.run_cell(cell).error is None
        held = []
        for chosen in ["", *session_kinds(cell)]:
            session.run_cell(f"CHOSEN = {chosen!r}")
            held.append(run_single(exercise, RemoteStudent(session, {"": ""}, lesson), 7))
            told[f"{exercise}: {chosen}"] = peak(), held[-1].earned, "\\n".join(str(r.failure) for r in held[-1].results)
        session.close()
print("TOLD", json.dumps(told))
"""


def kinds():
    return [line.split('"')[1] for line in CELL.splitlines() if line.startswith('    "') and ": lambda:" in line]


@pytest.mark.parametrize("assignment", only(IN_EVERY_RUN, EXERCISES, "as in the others, half a minute each"))
def test_no_answer_makes_the_grading_process_large(assignment):
    """Reports are kept, as they are while a notebook is graded; 500 MB more than for honest answers are the most."""
    script = SCRIPT.replace("session_kinds(cell)", repr(kinds()))
    given = json.dumps([CELL, assignment, EXERCISES[assignment]])
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.rpartition("TOLD")[2])
    for exercise in EXERCISES[assignment]:
        honest, earned, _ = told[f"{exercise}: "]
        assert earned > 0, told[f"{exercise}: "][2]
        most = {kind: told[f"{exercise}: {kind}"][0] - honest for kind in kinds()}
        assert max(most.values()) < 500, most
        refused = told[f"{exercise}: too many without width"][2]
        assert "returned 100,000,000 rows" in refused
        points = {kind: told[f"{exercise}: {kind}"][1] for kind in ("list", "too long", "message")}
        assert max(points.values()) < earned, (points, earned)
