"""A lesson's training, run again from nothing by the notebook's own cells, for the benchmarks."""

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from autograder import notebooks
from autograder.course import find_course


def retrain(lesson: str, cells: Sequence[str], seed_line: str, seed: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Run the lesson's exercises, then the cells that hold these texts, in an empty folder; return what they define.

    seed_line: how the line begins that sets the seed to 0; it is set to ``seed`` instead. given: what other cells would define.
    Raises ValueError unless each text is in exactly one cell, and the line in exactly one of these.
    """
    notebook = find_course().solution_notebook(lesson)
    names = notebooks.run(notebook).namespace | dict(given)
    texts = [notebooks.source(cell) for cell in notebooks.read(notebook)["cells"] if cell["cell_type"] == "code"]
    chosen = [_only([text for text in texts if part in text], part, lesson) for part in cells]
    _only([text for text in chosen if seed_line in text], seed_line, lesson)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), open(os.devnull, "w") as nowhere:
        with contextlib.redirect_stdout(nowhere):
            for text in chosen:
                exec(text.replace(seed_line, seed_line.replace("0,", f"{seed},")), names)
    return names


def _only(found: Sequence[str], part: str, lesson: str) -> str:
    if len(found) != 1:
        raise ValueError(f"Expected {part!r} in exactly one cell of {lesson}, got {len(found)}.")
    return found[0]
