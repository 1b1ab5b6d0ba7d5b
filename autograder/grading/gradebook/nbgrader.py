"""nbgrader's converter, writing stored results into the gradebook instead of running submissions."""

import contextlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

import nbformat
from filelock import FileLock, Timeout
from nbconvert.writers import FilesWriter
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import AssignLatePenalties, Execute
from sqlalchemy.exc import OperationalError
from traitlets import Bool, Dict, Integer

from autograder.grading.console import readable
from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import handed_in
from autograder.grading.gradebook.feedback import apply, as_node
from autograder.grading.gradebook.marking import decided_answers, keep_decided
from autograder.grading.gradebook.queries import PATIENCE, released_assignment
from autograder.grading.gradebook.sync import sync_gradebook
from autograder.grading.run.batch import Batch, in_order
from autograder.grading.run.pool import WorkerPool, describe
from autograder.grading.run.result import Result
from autograder.grading.run.status import FAILED, GRADED, Outcome, counts, load_status, regraded, save_status
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.model import Submission
from autograder.grading.submission.read import canonical_id
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside import bubblewrap

T = TypeVar("T")


def reason(error: BaseException) -> str:
    if isinstance(error, OperationalError | Timeout):
        return f"the gradebook was in use by another program for {PATIENCE:g} s: close it ({type(error).__name__})"
    return describe(error)


def line(outcome: Outcome) -> str:
    if outcome.state != GRADED:
        return f"{readable(outcome.student)}: {outcome.state}: {outcome.reason}"
    notes = f"; please look: {'; '.join(outcome.notes)}" if outcome.notes else ""
    points = f"{outcome.earned:g} of {outcome.points:g} points in {outcome.seconds:.1f} s"
    return f"{readable(outcome.student)}: {points}{notes}"


@contextlib.contextmanager
def mute_logger(log: logging.Logger) -> Iterator[None]:
    """Suppress nbgrader's log lines about one submission, except errors."""
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def retry_on_lock(do: Callable[[], T]) -> T:
    """Repeat a read or write of the database while another program, such as formgrader, locks it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return do()
        except OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.5)


class SealedAutograde(Autograde):
    """``nbgrader autograde`` for this course: read, grade in the sandbox, write, and report one line per submission."""

    trust_submissions = Bool(False, help="Run students' code without a sandbox.").tag(config=True)
    seed = Integer(None, allow_none=True, help="Draw every input from this seed.").tag(config=True)
    limits = Dict(help="Limits of the sandbox that differ from the usual ones.").tag(config=True)

    def init_notebooks(self) -> None:
        """Find the submissions: a folder's name is a literal student id, not a glob pattern."""
        self.course = Course(Path(self.coursedir.root))
        assignment = self.coursedir.assignment_id
        submitted = Path(os.path.normpath(self.coursedir.format_path(self.coursedir.submitted_directory, ".", ".")))
        try:
            self.released = released_assignment(self.course, assignment, self.coursedir.db_url)
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
                roster = [student.id for student in gradebook.students]
            hand_ins = {hand_in.student: hand_in for hand_in in handed_in(self.course, submitted, assignment, roster)}
        except (LookupError, ValueError) as error:  # no such lesson, or a fault in course.toml or the roster
            self.log.error(str(error))
            raise NbGraderException(str(error)) from None
        pattern = canonical_id(self.coursedir.student_id)
        chosen = (
            [pattern] if pattern in hand_ins else [student for student in hand_ins if fnmatchcase(student, pattern)]
        )
        excluded = self.coursedir.student_id_exclude.split(",")
        self.authors = sorted({hand_in.author for hand_in in hand_ins.values()})
        self.hand_ins = {student: hand_ins[student] for student in chosen if student not in excluded}
        if not self.hand_ins:
            msg = f"There are no submissions. Expected folders {submitted}/<student>/{assignment} with a notebook."
            self.log.error(msg)
            raise NbGraderException(msg)

    def begin(self) -> None:
        """Prepare for :meth:`write`, as :meth:`start` does, without converting anything."""
        self.init_notebooks()
        self.writer = FilesWriter(parent=self, config=self.config)
        self.exporter = self.exporter_class(parent=self, config=self.config)

    def _format_source(self, assignment_id: str, student_id: str, escape: bool = False) -> str:
        """Return the folder of this student's work. Its name may have another Unicode normal form than the id."""
        if not escape and self._sanitizing and student_id in self.hand_ins:
            return str(self.hand_ins[student_id].folder)
        return super()._format_source(assignment_id, student_id, escape)

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Enter the submission with its time, or with none if it is unknown: nbgrader would keep the time of an earlier one."""
        super().init_assignment(assignment_id, student_id)
        if self.coursedir.get_existing_timestamp(self._format_source(assignment_id, student_id)) is None:
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
                gradebook.update_or_create_submission(assignment_id, student_id, timestamp=None)

    def convert_notebooks(self) -> None:
        """Grade and write every submission. A failure does not prevent the grading of the others."""
        from joblib import cpu_count  # here, because the process that only writes has no need of it

        try:
            settings = self._settings()
            if not settings.trust:
                bubblewrap.find()
        except (ValueError, bubblewrap.SandboxMissing) as error:
            self.log.error(str(error))
            raise NbGraderException(str(error)) from None
        store = Store(self.course.grading)
        batch = Batch(self.course.grading, self.released, settings, store, authors=self.authors)
        earlier = load_status(self.course.grading, self.coursedir.assignment_id)
        outcomes = []
        with WorkerPool(cpu_count()) as pool:
            submissions = (self._to_do(student, batch, earlier.get(student)) for student in self.hand_ins)
            for submission, outcome in in_order(batch, submissions, pool.grade, cpu_count()):
                outcomes.append(outcome if submission is None else self._written(submission, batch, outcome))
                self.log.log(
                    logging.INFO if outcomes[-1].state == GRADED else logging.WARNING, "%s", line(outcomes[-1])
                )
        save_status(self.course.grading, self.coursedir.assignment_id, outcomes)
        for message in sync_gradebook(self.course):
            self.log.warning("%s", message)
        if text := regraded(batch.store.refused):
            self.log.warning("%s", text)
        self.log.info("%s", counts(len(self.hand_ins), outcomes))
        if failed := [o for o in outcomes if o.state == FAILED]:
            raise NbGraderException(f"{len(failed)} submissions could not be graded here; run the command again")

    def _settings(self) -> Settings:
        limits = {"limits": Limits.from_json(json.dumps(self.limits))} if self.limits else {}
        about_course = {"label": self.course.label, "lessons": self.course.lessons}
        return Settings.from_environment(seed=self.seed, trust=self.trust_submissions, **about_course, **limits)

    def _to_do(self, student: str, batch: Batch, earlier: Outcome | None) -> Submission | Outcome:
        """Read a submission. As in nbgrader, an already graded one is skipped unless a newer one was handed in."""
        submission = batch.read(self.hand_ins[student])
        if isinstance(submission, Outcome):
            return submission
        with mute_logger(self.log):
            to_do = self.init_destination(self.coursedir.assignment_id, student)
        if not to_do and earlier is not None and earlier.state == GRADED:
            return replace(earlier, before=True)
        return submission

    def _written(self, submission: Submission, batch: Batch, outcome: Outcome) -> Outcome:
        """Write a graded submission, and return the outcome."""
        if outcome.state != GRADED:
            return outcome
        result = batch.store.get(outcome.key)
        reason = "its stored result is missing"
        return outcome.failed(reason) if result is None else self.write(submission, result, outcome)

    def write(self, submission: Submission, result: Result, outcome: Outcome) -> Outcome:
        """Write a result into the gradebook and as an autograded notebook, and return the outcome."""
        if result.identity != submission.identity:
            return outcome.failed("the submission changed during grading")
        try:
            with mute_logger(self.log), FileLock(self.course.grading / "gradebook.lock", timeout=PATIENCE):
                about = (self.course, self.released, submission.student)
                decided = retry_on_lock(lambda: self._with_gradebook(decided_answers, *about))
                retry_on_lock(lambda: self._write(submission, result, outcome.key))
                retry_on_lock(lambda: self._with_gradebook(keep_decided, *about, decided))
        except Exception as error:  # from nbgrader, the database or the disk
            return outcome.failed(reason(error))
        return outcome

    def _with_gradebook(self, do: Callable[..., T], *arguments: Any) -> T:
        with Gradebook(self.coursedir.db_url) as gradebook:
            return do(gradebook.db, *arguments)

    def _write(self, submission: Submission, result: Result, key: str) -> None:
        try:
            self._write_whole(submission, result, key)
        except BaseException:
            self._remove(submission)
            raise

    def _write_whole(self, submission: Submission, result: Result, key: str) -> None:
        assignment, student = submission.assignment, submission.student
        self._remove(submission)
        path = os.path.join(super()._format_source(assignment, student), f"{submission.notebook}.ipynb")
        self.notebooks = [path]
        self.init_assignment(assignment, student)
        resources = self.init_single_notebook_resources(path)
        text, resources = self._preprocessed(as_node(submission), resources, sanitizing=True)
        notebook = nbformat.reads(text, as_version=4)
        apply(notebook, result, self.released, key)
        resources = self.init_single_notebook_resources(path)
        text, resources = self._preprocessed(notebook, resources, sanitizing=False)
        self.write_single_notebook(text, resources)
        self.set_permissions(assignment, student)

    def _preprocessed(self, notebook: NotebookNode, resources: Any, sanitizing: bool) -> tuple[str, Any]:
        self._sanitizing = sanitizing
        try:
            self._init_preprocessors()
            return self.exporter.from_notebook_node(notebook, resources=resources)
        finally:
            self._sanitizing = True

    def _init_preprocessors(self) -> None:
        """Use nbgrader's preprocessors in their order, except those that would run students' code beside the gradebook."""
        super()._init_preprocessors()
        self.exporter._preprocessors = [p for p in self.exporter._preprocessors if not isinstance(p, Execute)]

    def assign_penalty(self, student: str) -> None:
        """Update the late penalty: the due date or the rule may have changed since the work was graded."""
        resources = {"student": student, "assignment": self.released.assignment, "notebook": self.released.notebook}
        resources["db_url"] = self.coursedir.db_url
        nothing = NotebookNode(cells=[])
        for kind in self.autograde_preprocessors:
            if isinstance(kind, type) and issubclass(kind, AssignLatePenalties):
                with mute_logger(self.log):
                    kind(parent=self).preprocess(nothing, {"nbgrader": resources})

    def _remove(self, submission: Submission) -> None:
        shutil.rmtree(self._format_dest(submission.assignment, submission.student), ignore_errors=True)
