"""Stage B of grading a class: one writer puts the results into the gradebook, with nbgrader's own converter."""

import dataclasses
import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import Progress

from autograder.course import Course
from autograder.stage_a import FAILED, GRADED, Outcome


def write_gradebook(
    course: Course, assignment: str, trust: bool, seed: int | None, outcomes: Sequence[Outcome], console: Console
) -> list[Outcome]:
    """Write the results into the gradebook with nbgrader's own converter. What is there already is left alone."""
    changed = [o for o in outcomes if o.state == GRADED and committed(course, assignment, o.student) != o.key]
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("writing the gradebook", total=len(changed))
        failed = {}
        for outcome in changed:
            if problem := _commit(course, assignment, trust, seed, outcome.student):
                failed[outcome.student] = problem
            progress.advance(bar)
    return [
        dataclasses.replace(o, state=FAILED, reason=failed[o.student]) if o.student in failed else o for o in outcomes
    ]


def committed(course: Course, assignment: str, student: str) -> str:
    """Return the name of the result from which the student's graded notebook was made."""
    for path in (course.grading / "autograded" / student / assignment).glob("*.ipynb"):
        try:
            return json.loads(path.read_text(encoding="utf8"))["metadata"]["course"]["result"]
        except (OSError, ValueError, KeyError, TypeError):
            return ""
    return ""


class _Nbgrader:
    """nbgrader's converter, set up once from the course's own configuration file."""

    apps: dict[str, Any] = {}  # noqa: RUF012 one for each course root in this process

    @classmethod
    def autograde(cls, course: Course, assignment: str, student: str) -> str:
        from nbgrader.apps import NbGraderAPI
        from traitlets.config.loader import PyFileConfigLoader

        api = cls.apps.get(str(course.root))
        if api is None:
            config = PyFileConfigLoader("nbgrader_config.py", path=str(course.root)).load_config()
            api = cls.apps[str(course.root)] = NbGraderAPI(config=config)
        result = api.autograde(assignment, student, force=True, create=True)
        return (
            "" if result["success"] else str(result.get("error") or result.get("log") or "nbgrader could not write it")
        )


def _commit(course: Course, assignment: str, trust: bool, seed: int | None, student: str) -> str:
    """Write one student's result into the gradebook. Returns what went wrong, or nothing."""
    from autograder.nbgrader_plugins import guard

    warnings.filterwarnings("ignore", "Object of type .* not in session")  # nbgrader's own way with its database
    os.environ[guard.TRUST] = "1" if trust else ""
    os.environ["AUTOGRADER_CLASS_SEED"] = "" if seed is None else str(seed)
    return " ".join(_Nbgrader.autograde(course, assignment, student).split())[-300:]
