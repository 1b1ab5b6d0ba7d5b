"""The outputs of a graded notebook, within size limits, and the result from which nbgrader reads the points.

The solutions of the course have results of 60 kB. A result may reach about 10 MB.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from autograder.content.notebook import Cell
from autograder.grading.run.result import Output, progress_points
from autograder.sandbox.outside.cell_result import CellResult
from autograder.verdict.report import ExerciseReport

#: Characters of JSON for the outputs of all cells that were run: text, and pictures in base64.
MOST_OUTPUT = 4_000_000

#: Characters of the report of one exercise, in each of its forms.
MOST_REPORT = 100_000

#: Characters of a message that is listed for a person to read, and the number of such messages.
LONGEST_LINE = 500
MOST_LINES = 100

T = TypeVar("T")

_DROPPED = "The output of this cell was dropped: the notebook shows more than {:,} characters."


class OutputBudget:
    """What is left for the outputs of one submission, in characters of JSON."""

    def __init__(self) -> None:
        self.left = MOST_OUTPUT

    def kept(self, ran: CellResult) -> CellResult:
        """Return a cell's result, with what does not fit any more replaced by a note.

        The error stays, and so does the first last value, both shortened: a grade cell without them would get full marks.
        """
        outputs = [item for item in ran.outputs if self._fits(item)]
        error = ran.error if ran.error is None or self._fits(ran.error) else _shortened(ran.error)
        if len(outputs) == len(ran.outputs) and error == ran.error:
            return ran
        first = next((item for item in ran.outputs if item["output_type"] == "execute_result"), None)
        if first is not None and first not in outputs:
            text = str(first["data"].get("text/plain", "")).strip()[:40]
            outputs.insert(0, first | {"data": {"text/plain": text}})
        return replace(ran, outputs=[*outputs, _note(_DROPPED.format(MOST_OUTPUT))], error=error)

    def _fits(self, item: object) -> bool:
        size = len(json.dumps(item))
        if size > self.left:
            return False
        self.left -= size
        return True


def _shortened(error: tuple[str, str, str]) -> tuple[str, str, str]:
    name, message, _ = error
    return name, message[:LONGEST_LINE], f"{name}: {message[:LONGEST_LINE]}"


def _note(text: str) -> Output:
    return {"output_type": "display_data", "metadata": {}, "data": {"text/plain": text}}


def report_text(text: str) -> str:
    """Return a report's text, cut at its bound."""
    return text if len(text) <= MOST_REPORT else text[:MOST_REPORT] + "\n… The rest of this report was dropped."


def first_ones(lines: Sequence[T]) -> list[T]:
    """Return the messages that are listed: a person reads no more."""
    return list(lines[:MOST_LINES])


_NOT_SEALED = (
    "This cell's own assertions were run beside the student's code, as nbgrader does it. "
    "They are not protected against code that is meant to deceive them."
)


def as_data(report: ExerciseReport) -> dict:
    """Return a report as plain data."""
    checks = [
        {
            "name": r.name,
            "sentence": r.sentence,
            "points": r.points,
            "earned": r.earned,
            "failure": str(r.failure or "")[: 4 * LONGEST_LINE],
            "cause": r.diagnosis.name if r.diagnosis else "",
        }
        for r in report.results
    ]
    return {
        "name": report.exercise,
        "earned": progress_points(report.earned, report.points),
        "points": report.points,
        "seed": report.seed,
        "named": [name[:LONGEST_LINE] for name in report.named],
        "note": report.note,
        "checks": checks,
        "text": report_text(str(report)),
    }


def check_outputs(report: ExerciseReport, sealed: bool) -> list[Output]:
    """Return the table, and then the single result from which nbgrader reads the points."""
    warning = "" if sealed else "Not sealed: this submission was graded without a sandbox.\n"
    data = {"text/plain": warning + report_text(str(report))}
    if len(table := report._repr_html_()) <= MOST_REPORT:  # half a table is none
        data["text/html"] = warning + table
    value = progress_points(report.earned, report.points)
    return [
        {"output_type": "display_data", "metadata": {"autograder": True}, "data": data},
        {"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": {"text/plain": repr(value)}},
    ]


def points(cell: Cell) -> float:
    return float(cell["metadata"]["nbgrader"].get("points", 0.0))


def cell_outputs(ran: CellResult, points: float | None) -> list[Output]:
    """Return a cell's outputs. ``points`` is the maximum of a grade cell with its own assertions, and None for any other cell.

    In a grade cell an error costs the points, output on stderr does not, and a number as the last value is partial
    credit, between 0 and ``points``.
    """
    outputs = [dict(item) for item in ran.outputs]
    if points is not None:
        outputs = [item | {"name": "stdout"} if item["output_type"] == "stream" else item for item in outputs]
        outputs = [
            _partial_credit(item, points) if item["output_type"] == "execute_result" else item for item in outputs
        ]
        note = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": _NOT_SEALED}}
        outputs.append(note)
    if ran.error:
        name, message, trace = ran.error
        if points is not None:  # a traceback would reveal the lines of hidden tests
            trace = f"{name}: {message}"
        outputs.append({"output_type": "error", "ename": name, "evalue": message, "traceback": trace.splitlines()})
    return outputs


def earned(outputs: Sequence[Output], cell: Cell) -> float:
    """Return the points that nbgrader reads from the outputs of a grade cell with its own assertions."""
    if any(item["output_type"] == "error" for item in outputs):
        return 0.0
    values = [item["data"]["text/plain"] for item in outputs if item["output_type"] == "execute_result"]
    return float(values[0]) if values else points(cell)


def _partial_credit(item: Output, points: float) -> Output:
    """Clamp partial credit, and drop a last value that is not a number: nbgrader would take either for full marks."""
    try:
        earned = progress_points(float(str(item["data"].get("text/plain"))), points)
    except ValueError:
        return {"output_type": "display_data", "metadata": {}, "data": item["data"]}
    return item | {"data": {"text/plain": repr(earned)}}
