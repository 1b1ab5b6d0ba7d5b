"""Stage A: grade one submission, in the sandbox, into a result that is plain data."""

import ast
import hashlib
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from autograder import catalogue, notebooks
from autograder.local import LocalStudent
from autograder.report import ExerciseReport
from autograder.runner import run_checks
from autograder.sandbox.box import Box
from autograder.sandbox.remote import RemoteStudent
from autograder.sandbox.session import CellResult, Session, cell_result, defined_names

FORMAT = 1
_CHECK = re.compile(r"""\s*check\(\s*(["'])(\w+)\1\s*\)\s*;?\s*""")
_NOT_SEALED = (
    "This cell's own assertions were run beside the student's code, as nbgrader does it. "
    "They are not protected against code that is meant to deceive them."
)

#: Files and folders of the autograder on which no verdict depends.
_NOT_PART = {
    "attacks.py", "audit.py", "bench.py", "bench_captioning.py", "bench_class.py", "bench_layers.py",
    "bench_pretraining.py", "bench_steps.py", "bench_vit.py", "build.py",
    "buildrun.py", "class_runner.py", "cli.py", "cluster.py", "demo.py", "leaks.py", "lesson_source.py",
    "nbgrader_plugins", "regrade.py", "results.py", "retrain.py", "stage_a.py", "stage_b.py",
}  # fmt: skip

Result = dict[str, Any]


def key_of(
    assignment: str, cells: Sequence[notebooks.Cell], files: Mapping[str, bytes], seed: int, sealed: bool = True
) -> str:
    """Return the name of the result: a hash of the submission, the checks, the environment, the seed and the use of a sandbox."""
    content = [[cell["cell_type"], notebooks.grade_id(cell), notebooks.source(cell)] for cell in cells]
    own = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    parts = [FORMAT, assignment, content, own, seed, sealed, checks_version(), environment()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@cache
def checks_version() -> str:
    """Return a hash of the source on which a verdict depends: a result is only as good as the checks that made it."""
    digest, root = hashlib.sha256(), Path(__file__).parent
    paths = [path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in _NOT_PART]
    # What the checks draw, how they read checkpoints, and the layers that students' answers are built on.
    paths += [path for path in (root.parent / "course_lib").rglob("*") if path.suffix in (".py", ".safetensors")]
    for path in sorted(paths):
        digest.update(f"{path.relative_to(root.parent)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def environment() -> dict[str, str]:
    """Return the versions that a result depends on."""
    versions = {name: metadata.version(name) for name in ("torch", "numpy", "ipython")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **versions}


def exercise_of(cell: notebooks.Cell) -> str | None:
    """Return the exercise that a grade cell checks, or None for a grade cell with assertions of its own."""
    found = _CHECK.fullmatch(notebooks.source(cell))
    return found[2] if found else None


def grade(
    assignment: str,
    cells: Sequence[notebooks.Cell],
    seed: int,
    box: Box | None,
    files: Mapping[str, bytes] | None = None,
    only: Sequence[str] | None = None,
) -> Result:
    """Run a submission's cells and its checks, and return the result.

    ``cells`` have metadata that can be trusted. With ``box`` None the cells run in this process, without a sandbox, and the
    result says so. ``only`` names the exercises to check.
    """
    host: _Sealed | _Trusting = (
        _Trusting(assignment, files or {}) if box is None else _Sealed(assignment, box, files or {})
    )
    result: Result = {
        "format": FORMAT, "assignment": assignment, "seed": seed, "checks": checks_version(),
        "environment": environment(), "sealed": box is not None, "cells": {}, "exercises": [], "errors": [],
    }  # fmt: skip
    full: dict[str, bool] = {}
    try:
        for number, (cell, needed) in enumerate(zip(cells, notebooks.needed_cells(cells), strict=True)):
            name = exercise_of(cell) if _is_code(cell) and notebooks.is_check(cell) else None
            if name is not None and _known(name):
                if only is None or name in only:
                    report = run_checks(name, host.student(), seed, full)
                    full[name] = report.full_alone
                    result["exercises"].append(_as_data(report))
                    result["cells"][number] = _check_outputs(report, sealed=box is not None)
            elif needed or (_is_code(cell) and notebooks.is_check(cell)):
                ran = host.run(notebooks.source(cell))
                result["cells"][number] = _outputs(ran, _points(cell) if notebooks.is_check(cell) else None)
                if ran.error:
                    which = notebooks.grade_id(cell) or f"cell number {number + 1}"
                    result["errors"].append([which, f"{ran.error[0]}: {ran.error[1]}"])
    finally:
        host.close()
    return result


def _is_code(cell: notebooks.Cell) -> bool:
    return cell.get("cell_type") == "code"


def _known(name: str) -> bool:
    try:
        return bool(catalogue.check_file(name))
    except LookupError:
        return False


class _Sealed:
    """Runs cells in the sandbox and hands the checks a student who is outside their process."""

    def __init__(self, assignment: str, box: Box, files: Mapping[str, bytes]):
        self.forbid = catalogue.forbidden(assignment) if catalogue.has_checks(assignment) else ()
        self.session = Session(box, self.forbid, files)
        self.sources: dict[str, str] = {"": ""}

    def run(self, text: str) -> CellResult:
        names = defined_names(text)
        self.sources |= names
        if names or "import" in text:
            self.sources[""] += _importing(text)
        return self.session.run_cell(text)

    def student(self) -> RemoteStudent:
        return RemoteStudent(self.session, self.sources, self.forbid)

    def close(self) -> None:
        self.session.close()


class _Trusting:
    """Runs cells in this process: only for submissions that are trusted."""

    def __init__(self, assignment: str, files: Mapping[str, bytes]):
        from autograder.sandbox import shell

        self.files = files
        self.forbid = catalogue.forbidden(assignment) if catalogue.has_checks(assignment) else ()
        self.run_cell, self.shell = shell.run_cell, shell.prepare()

    def run(self, text: str) -> CellResult:
        return cell_result(self.run_cell(self.shell, text))

    def student(self) -> LocalStudent:
        return LocalStudent(self.shell.user_ns, self.forbid, file=self.files.get)

    def close(self) -> None:
        """The shell goes with the process."""


def _importing(text: str) -> str:
    """Return the import statements of a cell, one on a line."""
    try:
        nodes = ast.walk(ast.parse(notebooks.without_magics(text)))
        return "".join(f"{ast.unparse(node)}\n" for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _as_data(report: ExerciseReport) -> Result:
    checks = [
        {
            "name": r.name, "sentence": r.sentence, "points": r.points, "earned": r.earned,
            "failure": str(r.failure or ""), "cause": r.diagnosis.name if r.diagnosis else "",
        }
        for r in report.results
    ]  # fmt: skip
    return {
        "name": report.exercise, "earned": points_between(report.earned, report.points), "points": report.points,
        "named": report.named, "note": report.note, "checks": checks,
    }  # fmt: skip


def points_between(earned: float, most: float) -> float:
    """Return ``earned`` as a plain finite float between 0 and ``most``."""
    return min(max(float(earned), 0.0), float(most)) if math.isfinite(earned) else 0.0


def _check_outputs(report: ExerciseReport, sealed: bool) -> list[Result]:
    """The table, and then the one result from which nbgrader reads the points."""
    warning = "" if sealed else "Not sealed: this submission was graded without a sandbox.\n"
    data = {"text/plain": warning + str(report), "text/html": warning + report._repr_html_()}
    value = points_between(report.earned, report.points)
    return [
        {"output_type": "display_data", "metadata": {"autograder": True}, "data": data},
        {"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": {"text/plain": repr(value)}},
    ]


def _points(cell: notebooks.Cell) -> float:
    return float(cell["metadata"]["nbgrader"].get("points", 0.0))


def _outputs(ran: CellResult, points: float | None) -> list[Result]:
    """A cell's outputs. ``points`` is what a grade cell with assertions of its own is worth, and None for any other cell.

    In a grade cell an error costs the points, what is printed to stderr does not, and a number as the last value is partial
    credit, between 0 and ``points``.
    """
    outputs = [dict(item) for item in ran.outputs]
    graded = points is not None
    if points is not None:
        outputs = [item | {"name": "stdout"} if item["output_type"] == "stream" else item for item in outputs]
        outputs = [
            _partial_credit(item, points) if item["output_type"] == "execute_result" else item for item in outputs
        ]
        note = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": _NOT_SEALED}}
        outputs.append(note)
    if ran.error:
        name, message, trace = ran.error
        if graded:  # a traceback shows the lines of hidden tests
            trace = f"{name}: {message}"
        outputs.append({"output_type": "error", "ename": name, "evalue": message, "traceback": trace.splitlines()})
    return outputs


def _partial_credit(item: Result, points: float) -> Result:
    """Keep nbgrader from taking a negative number or none at all for full marks."""
    try:
        earned = points_between(float(str(item["data"].get("text/plain"))), points)
    except ValueError:
        return {"output_type": "display_data", "metadata": {}, "data": item["data"]}
    return item | {"data": {"text/plain": repr(earned)}}
