"""What is handed to the student's code in place of a model stays with the grader: only what was done with it is noted."""

import time
from dataclasses import replace

import pytest
import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Request, StandIn
from autograder.sandbox.inside import protocol
from autograder.sandbox.outside import worker
from autograder.sandbox.outside.remote import RemoteStudent
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session

pytestmark = [pytest.mark.sandbox, pytest.mark.slow, pytest.mark.usefixtures("shapes_unchecked")]

LESSON = LESSONS.of("07-language-models")
GIVEN = {"words": torch.randn(7, 5).double(), "places": torch.randn(11, 5).double(), "longest": 6}
IDS = torch.tensor([[3, 1, 4, 1, 5]])


@pytest.fixture(scope="module")
def box():
    with Sandbox(libraries=LESSON.libraries_in("")) as started:
        yield started


@pytest.fixture
def student(box):
    opened = []

    def make(text):
        session = Session(box, LESSON.forbidden, libraries=LESSON.libraries_in(""))
        opened.append(session)
        assert session.run_cell(text).error is None
        return RemoteStudent(session, {"": ""}, LESSON)

    yield make
    for session in opened:
        session.close()


def request(*args):
    return Request("generate", (StandIn("course_lib.training.SpyLanguageModel", GIVEN), *args))


IN_PIECES = """
def generate(model, ids):
    first, cache = model(ids[:, :2])
    second, cache = model(ids[:, 2:], cache)
    return first, second, cache[1]
"""


def test_it_answers_as_in_a_notebook_and_notes_what_was_read(student):
    names = {}
    exec(IN_PIECES, names)
    here, there = (
        each.answer(request(IDS)) for each in (NotebookStudent(names, LESSON), student("import torch\n" + IN_PIECES))
    )
    for own, remote in zip(here.value, there.value, strict=True):
        torch.testing.assert_close(remote, own)
    assert here.args_after[0].tokens_read == there.args_after[0].tokens_read == 5


def test_each_request_has_a_new_one(student):
    there = student(IN_PIECES)
    assert [there.answer(request(IDS)).args_after[0].tokens_read for _ in range(2)] == [5, 5]


def test_its_errors_are_the_students(student):
    there = student(
        "def generate(model, ids):\n    try: return model(ids)\n    except ValueError as error: return str(error)\n"
    )
    assert there.answer(request(IDS.repeat(1, 2))).value == "Expected at most 6 tokens in a call, got 10."
    there = student("def generate(model, ids):\n    return model(ids, 5)\n")
    with pytest.raises(CheckFailure, match="stopped with an error") as raised:
        there.answer(request(IDS))
    assert raised.value.yours.startswith("TypeError")


@pytest.mark.parametrize(
    "call",
    [
        "model.ask('__init__', 5)",
        "model.ask('state_dict')",
        "model.ask.func(1, 'forward', ids)",
        "model.ask.func(-1, 'forward', ids)",
        "model.ask.func('0', 'forward', ids)",
        "model(torch.zeros(2**17 + 1, 1, dtype=torch.int64))",
        "[model(ids) for _ in range(101)]",
        "[model(torch.zeros(2**16, 1, dtype=torch.int64)) for _ in range(17)]",
        "model.ask.func(0, {}, ids)",
    ],
)
def test_anything_but_a_call_that_its_class_allows_ends_the_process(monkeypatch, student, call):
    monkeypatch.setattr(worker, "_MOST_CALLS", 100)
    there = student(f"import torch\ndef generate(model, ids):\n    {call}\n    return ids\n")
    with pytest.raises(CheckFailure) as raised:
        there.answer(request(IDS))
    assert raised.value.received == "garbled"


@pytest.mark.parametrize(
    "call",
    [
        "model(torch.zeros(1, 1, 2**14, 3, dtype=torch.int64))",
        "model(ids, (torch.zeros(1, 300, 300), 0))",
        "model(ids, (torch.zeros(1, 5).double(), 10**18))",
        "model(ids, (torch.zeros(1, 5).double(), -3))",
        "model(ids, (torch.zeros(1, 5).double(), True))",
        "model(ids.double())",
        "model(ids + 10)",
    ],
)
def test_arguments_that_make_no_sense_are_an_error(student, call):
    there = student(f"import torch\ndef generate(model, ids):\n    {call}\n    return ids\n")
    with pytest.raises(CheckFailure, match="stopped with an error"):
        there.answer(request(IDS))


def test_the_tables_are_not_in_the_students_process(student):
    there = student(
        "import gc, torch\n"
        "def generate(model, ids):\n"
        "    model(ids)\n"
        "    return sum(isinstance(x, torch.Tensor) and x.shape == (7, 5) for x in gc.get_objects())\n"
    )
    assert there.answer(request(IDS)).value == 0


#: Calls that are all sent before the first answer is read, and arguments of which many share the same few bytes.
IN_ADVANCE = """
from autograder.sandbox.inside import protocol
def generate(model, ids, calls=50):
    worker = model.ask.func.__self__
    asked = {"stand_in": 0, "method": "forward", "args": {"tuple": [{"tuple": [5]}, {"dict": []}]}, "ticket": worker.ticket}
    for _ in range(calls):
        protocol.send(worker.connection, asked)
    for _ in range(calls):
        protocol.receive(worker.connection)
    return ids
"""


def test_calls_that_do_not_wait_for_answers_are_watched_too(monkeypatch, student):
    """The grader is busy, and the submission waits: that counts as such a time does in any other request."""

    def slow(*_):
        time.sleep(0.05)
        return {"value": None}, protocol.Packing()

    monkeypatch.setattr(worker._Calls, "answer", slow)
    there = student(IN_ADVANCE)
    there.session.worker().limits = replace(there.session.worker().limits, idle=1.0)
    with pytest.raises(CheckFailure) as raised:
        there.answer(request(IDS))
    assert raised.value.received == "idle"


MANY_OF_FEW = """
from autograder.sandbox.inside import protocol
def generate(model, ids):
    worker, packing = model.ask.func.__self__, protocol.Packing([bytes(2**20)], 2**20)
    one = {"tensor": "bool", "shape": [2**20], "count": 2**20, "at": 0}
    args = {"tuple": [{"tuple": [{"list": [one] * 900}]}, {"dict": []}]}
    protocol.send(worker.connection, {"stand_in": 0, "method": "forward", "args": args, "ticket": worker.ticket}, packing)
    return ids
"""


def test_arguments_of_calls_are_bounded_as_results_are(student):
    with pytest.raises(CheckFailure) as raised:
        student(MANY_OF_FEW).answer(request(IDS))
    assert raised.value.received == "garbled"
