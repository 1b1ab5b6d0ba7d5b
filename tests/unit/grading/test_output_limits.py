"""A result stays small, whatever a submission prints, shows, raises and returns."""

import base64
import json
import struct
from types import SimpleNamespace

from known import LESSONS

from autograder.grading.run import grade
from autograder.grading.run.executors import TrustedExecutor
from autograder.grading.run.grade import MOST_LINES, MOST_OUTPUT, MOST_REPORT, OutputBudget
from autograder.runtime.errors import CheckFailure
from autograder.sandbox.outside.cell_result import CellResult, cell_result
from autograder.verdict.report import CheckResult, ExerciseReport

PRINTED = {"output_type": "stream", "name": "stdout", "text": "é" * 20_000}


def value(text):
    return {"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": {"text/plain": text}}


def size(thing):
    return len(json.dumps(thing))


def test_the_outputs_of_an_ordinary_notebook_are_kept():
    room, ran = OutputBudget(), CellResult([PRINTED, value("1")], ("ValueError", "no", "trace"))
    assert all(room.trim(ran) == ran for _ in range(10))


def test_output_of_a_notebook_is_bounded_with_a_note():
    room = OutputBudget()
    kept = [room.trim(CellResult([PRINTED] * 40, ("E" * 100, "m" * 2000, "t" * 30_000))) for _ in range(100)]
    assert MOST_OUTPUT * 0.9 < size([[ran.outputs, ran.error] for ran in kept]) < MOST_OUTPUT * 1.1
    assert "dropped" in kept[-1].outputs[-1]["data"]["text/plain"]
    assert kept[-1].error[0] == "E" * 100


def test_dropped_output_earns_nothing():
    """nbgrader takes a grade cell without a value for full marks."""
    cell = {"metadata": {"nbgrader": {"points": 3.0}}}
    room = OutputBudget()
    room.trim(CellResult([PRINTED] * 60))
    for text in ("0.5", "0.5" + " " * 30_000):
        ran = room.trim(CellResult([PRINTED, value(text), value("3")]))
        assert grade.points_in(grade.cell_outputs(ran, 3.0), cell) == 0.5
    ran = room.trim(CellResult([PRINTED], ("ValueError", "x" * 2000, "")))
    assert grade.points_in(grade.cell_outputs(ran, 3.0), cell) == 0


def test_a_report_is_bounded():
    failure = CheckFailure("value", "<" * 3 * MOST_REPORT, "x" * MOST_REPORT, "y" * MOST_REPORT)
    report = ExerciseReport(
        "softmax", 7, [CheckResult("check", "It is right.", 1.0, 0.0, failure, printed="z" * 1000)] * 5
    )
    [shown, result] = grade.check_outputs(report, True)
    assert size(shown) < 3 * MOST_REPORT
    assert size(grade.report_data(report)) < 3 * MOST_REPORT
    assert "text/html" not in shown["data"]
    assert shown["data"]["text/plain"].startswith("softmax")
    assert result["data"]["text/plain"] == "0.0"


def test_lists_the_first_of_many_errors():
    lesson = LESSONS.of("01-attention")
    text = "import torch\nsoftmax = oops"
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for _ in range(MOST_LINES + 5)]
    submission = SimpleNamespace(assignment=lesson.assignment, digest="", author="", cells=cells)
    result = grade.grade(submission, LESSONS, 1, TrustedExecutor(lesson, {}), causes=False)
    assert [name for name, _ in result.errors] == [f"cell number {n}" for n in range(1, MOST_LINES + 1)]
    assert len(result.notes) == MOST_LINES


def test_a_picture_of_many_pixels_in_few_bytes_is_dropped():
    def reply(width, height):
        data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", width, height) + bytes(20)
        return {"outputs": [{"output_type": "display_data", "data": {"image/png": base64.b64encode(data).decode()}}]}

    assert cell_result(reply(640, 480)).outputs
    assert not cell_result(reply(60_000, 60_000)).outputs
    assert not cell_result(reply(1, 200_000)).outputs
