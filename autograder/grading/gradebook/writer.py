"""Write finished results into the gradebook, one after another, with nbgrader's converter."""

import warnings
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.grading.course import Course
from autograder.grading.gradebook.nbgrader import SealedAutograde
from autograder.grading.gradebook.queries import agrees, committed_key, committed_scores
from autograder.grading.run.batch import Batch
from autograder.grading.run.pool import describe
from autograder.grading.run.result import Result
from autograder.grading.run.status import GRADED, Outcome
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings


def nbgrader_settings(root: Path, assignment: str) -> tuple[Config, CourseDirectory]:
    """Return the configuration of the course in ``root``, and nbgrader's view of its folders for one assignment."""
    warnings.filterwarnings("ignore", "Object of type .* not in session")  # nbgrader's own use of its database
    config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    coursedir = CourseDirectory(config=config)
    coursedir.assignment_id = assignment
    return config, coursedir


class GradebookWriter:
    """nbgrader's converter, set up once from the course's own configuration file. The working directory is the course's root."""

    def __init__(self, course: Course, assignment: str, force: bool = False):
        self.course, self.force = course, force
        config, coursedir = nbgrader_settings(course.root, assignment)
        self.converter = SealedAutograde(coursedir=coursedir, config=config)
        self.converter.begin()
        self.released = self.converter.released
        self.batch = Batch(course.grading, self.released, Settings(), Store(course.grading))
        self.committed = committed_scores(coursedir.db_url, assignment)

    def write(self, outcome: Outcome) -> Outcome:
        """Write the result of an outcome, unless the gradebook has it. Return the outcome, or a failed one."""
        if outcome.state != GRADED:
            return outcome
        try:
            failed = self._write(outcome)
        except Exception as error:  # must not prevent the next write
            failed = describe(error)
        return outcome.failed(failed) if failed else outcome

    def _write(self, outcome: Outcome) -> str:
        """Return the error, or the empty string."""
        result = self.batch.store.get(outcome.key)
        if result is None:
            return "its stored result is missing, or was changed"
        if self._is_current(outcome, result):
            self.converter.assign_penalty(outcome.student)
            return ""
        submission = self.batch.read(self.converter.hand_ins[outcome.student])
        if isinstance(submission, Outcome):
            return f"the submission changed during grading: {submission.reason}"
        return self.converter.write(submission, result, outcome).reason

    def _is_current(self, outcome: Outcome, result: Result) -> bool:
        """Return whether the gradebook and the autograded notebook hold this result, for a submission with the same time."""
        committed = self.committed.get(outcome.student)
        if self.force or not agrees(committed, result, self.released):
            return False
        if committed_key(self.course, self.released, outcome.student) != outcome.key:
            return False
        folder = str(self.converter.hand_ins[outcome.student].folder)
        handed_in = self.converter.coursedir.get_existing_timestamp(folder)
        return committed is not None and handed_in == committed.timestamp
