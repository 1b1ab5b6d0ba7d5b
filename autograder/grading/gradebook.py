"""Stage B of grading a class: one writer puts stored results into the gradebook. It never grades."""

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from autograder.course import Course
from autograder.grading.outcome import GRADED, Outcome

_ROOT = Path(__file__).resolve().parents[2]


class GradebookWriter:
    """A process with a working folder of its own, in which nbgrader's converter writes one result after another.

    nbgrader changes the working folder and the logging of the process that it runs in.
    """

    def __init__(self, course: Course, assignment: str, force: bool = False):
        path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.grading.writer", str(course.root), assignment, str(int(force))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf8", cwd=course.root,
            env=os.environ | {"PYTHONPATH": path},
        )  # fmt: skip

    def write(self, outcome: Outcome) -> Outcome:
        """Write the result of an outcome and return the outcome, or one that has failed."""
        if outcome.state != GRADED:
            return outcome
        try:
            assert self.process.stdin is not None  # they are pipes
            assert self.process.stdout is not None
            self.process.stdin.write(json.dumps(asdict(outcome)) + "\n")
            self.process.stdin.flush()
            told = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            return outcome.failed("the process that writes the gradebook has ended; see the message above")
        return outcome.failed(told["failed"]) if told["failed"] else outcome

    def close(self) -> None:
        """End the process when it has written what it was given."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]

    def __enter__(self) -> "GradebookWriter":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.process.kill()
        self.close()
