"""Run a lesson's solution for the benchmarks."""

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.content import notebook
from autograder.grading.course import Course


class CourseSolution:
    """The solution of an assignment; see :class:`autograder.checks.timing.Solution`."""

    def __init__(self, course: Course, assignment: str):
        self.notebook, self.assignment = course.solution_notebook(assignment), assignment

    def names(self) -> dict[str, Any]:
        return notebook.run(self.notebook).namespace

    def retrain(self, cells: Sequence[str], seed_line: str, seed: int, given: Mapping[str, Any]) -> dict[str, Any]:
        names = self.names() | dict(given)
        read = notebook.read(self.notebook)["cells"]
        texts = [notebook.source(cell) for cell in read if cell["cell_type"] == "code"]
        chosen = [self._only([text for text in texts if part in text], part) for part in cells]
        self._only([text for text in chosen if seed_line in text], seed_line)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), open(os.devnull, "w") as nowhere:
            with contextlib.redirect_stdout(nowhere):
                for text in chosen:
                    exec(text.replace(seed_line, seed_line.replace("0,", f"{seed},")), names)
        return names

    def _only(self, found: Sequence[str], part: str) -> str:
        if len(found) != 1:
            raise ValueError(f"Expected {part!r} in exactly one cell of {self.assignment}, got {len(found)}.")
        return found[0]
