"""Check a whole notebook from the command line."""

import json
from pathlib import Path
from typing import Any

from autograder import catalogue, notebooks
from autograder.files import files_in
from autograder.local import LocalStudent
from autograder.report import ExerciseReport
from autograder.runner import run_checks


def check_notebook(
    path: Path, only: list[str] | None = None, seed: int | None = None
) -> tuple[notebooks.Run, list[ExerciseReport]]:
    """Run a notebook's cells in this process, then check its exercises (or only those named)."""
    assignment = catalogue.assignment_of(path)
    known = catalogue.exercises(assignment)
    unknown = [name for name in only or [] if name not in known]
    if unknown:
        raise LookupError(f"{assignment} has no exercise {unknown[0]!r}. Expected one of: {', '.join(known)}.")
    run = notebooks.run(path)
    student = LocalStudent(run.namespace, catalogue.forbidden(assignment), file=files_in(path.parent))
    reports: dict[str, ExerciseReport] = {}
    for name in only or known:
        full = {earlier: report.full_alone for earlier, report in reports.items()}
        reports[name] = run_checks(name, student, seed, full)
    return run, list(reports.values())


def as_json(run: notebooks.Run, reports: list[ExerciseReport]) -> dict[str, Any]:
    """The result as plain data."""
    return {
        "earned": sum(report.earned for report in reports),
        "points": sum(report.points for report in reports),
        "errors": [{"cell": cell, "error": error} for cell, error in run.errors],
        "exercises": [
            {
                "name": report.exercise,
                "earned": report.earned,
                "points": report.points,
                "seed": report.seed,
                "named": report.named,
                "checks": [
                    {
                        "name": r.name,
                        "sentence": r.sentence,
                        "points": r.points,
                        "earned": r.earned,
                        "failure": str(r.failure or ""),
                    }
                    for r in report.results
                ],
            }
            for report in reports
        ],
    }


def as_text(path: Path, run: notebooks.Run, reports: list[ExerciseReport]) -> str:
    """The result as a page of text: errors of cells first, then each exercise, then the total."""
    lines = [f"{path}: {cell} stopped with {error}" for cell, error in run.errors]
    lines += [f"\n{report}" for report in reports]
    total = f"{sum(r.earned for r in reports):g} of {sum(r.points for r in reports):g} points"
    return "\n".join([*lines, "", f"{'total':<{78 - len(total)}}{total}"])


def write_json(run: notebooks.Run, reports: list[ExerciseReport]) -> str:
    return json.dumps(as_json(run, reports), indent=2, ensure_ascii=False)
