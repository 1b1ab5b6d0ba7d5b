"""How large a result may become, whatever a submission prints, shows, raises and returns. These bounds hold outside the sandbox.

The solutions of the course have results of 60 kB. A result may reach about 10 MB.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from autograder.grading.run.result import Output
from autograder.sandbox.outside.cell_result import CellResult

#: Characters of JSON for the outputs of all cells that were run: text, and pictures in base64.
MOST_OUTPUT = 4_000_000

#: Characters of the report of one exercise, in each of its forms.
MOST_REPORT = 100_000

#: Characters of a message that is listed for a person to read, and the number of such messages.
LONGEST_LINE = 500
MOST_LINES = 100

T = TypeVar("T")

_DROPPED = "The output of this cell was dropped: the notebook shows more than {:,} characters."


class Room:
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
