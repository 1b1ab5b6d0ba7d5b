"""The client of the process that writes the gradebook. It never grades."""

import json
from dataclasses import asdict

from autograder.grading.course import Course
from autograder.grading.run.pool import Channel
from autograder.grading.run.status import GRADED, Outcome


class GradebookWriter:
    """A process with its own working folder, in which nbgrader's converter writes one result after another.

    nbgrader changes the working folder and the logging of its process.
    """

    def __init__(self, course: Course, assignment: str, force: bool = False):
        arguments = (str(course.root), assignment, str(int(force)))
        self.channel = Channel("autograder.grading.gradebook.writer", *arguments, folder=course.root)

    def write(self, outcome: Outcome) -> Outcome:
        """Write the result of an outcome and return the outcome, or a failed one."""
        if outcome.state != GRADED:
            return outcome
        try:
            failed = self.channel.ask(json.dumps(asdict(outcome)).encode()).decode()
        except (OSError, EOFError):
            return outcome.failed("the process that writes the gradebook has ended; see the message above")
        return outcome.failed(failed) if failed else outcome

    def __enter__(self) -> "GradebookWriter":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.channel.kill()
        self.channel.close()
