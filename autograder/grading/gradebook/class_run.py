"""Grade a whole class: results in parallel, while one writer puts finished ones into the gradebook."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from autograder.grading.console import console as make_console
from autograder.grading.console import plain
from autograder.grading.course import Course
from autograder.grading.gradebook.class_list import handed_in, roster_of
from autograder.grading.gradebook.client import GradebookWriter
from autograder.grading.gradebook.differences import show_difference
from autograder.grading.gradebook.state import assignment_in, known_students
from autograder.grading.gradebook.summary import print_summary
from autograder.grading.gradebook.sync import settle
from autograder.grading.progress import progress
from autograder.grading.run.cluster import on_cluster
from autograder.grading.run.many import ClassWork, Outcomes, locally
from autograder.grading.run.outcome import Outcome, remember, same_as_others
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.hand_ins import HandIn, normal


@dataclass(frozen=True)
class Options:
    """The options of the command line. ``students`` are literal ids, not patterns; none of them means all."""

    assignment: str
    workers: int = 1
    scheduler: str | None = None
    diff: bool = False
    force: bool = False
    students: Sequence[str] = ()
    settings: Settings = field(default_factory=Settings)


def grade_class(course: Course, options: Options) -> int:
    """Grade the submissions of an assignment. Returns 0 if each is graded or needs a human and the counts add up.

    Raises LookupError if there is nothing to grade, or something needed for grading is missing.
    """
    console = make_console()
    released = assignment_in(course, options.assignment)
    found = _found(course, options.assignment)
    chosen, authors = _chosen(found, options), sorted({one.author for one in found})
    if not options.settings.trust and not options.scheduler:
        _require_sandbox()
    work = ClassWork(course.grading, released, options.settings, Store(course.grading), options.force, authors)
    ready = on_cluster(work, chosen, options.scheduler) if options.scheduler else locally(work, chosen, options.workers)
    if options.diff:
        return show_difference(course, released, work.store, list(_watched(ready, len(chosen))), console)
    outcomes: list[Outcome] = []
    try:
        with GradebookWriter(course, options.assignment, options.force) as writer:
            _write(_watched(ready, len(chosen)), writer, outcomes)
    finally:  # also when a run is interrupted
        outcomes = same_as_others(sorted(outcomes, key=lambda outcome: outcome.student), roster_of(course).groups)
        remember(course.grading, options.assignment, outcomes)
    for told in settle(course):
        console.print(plain(told))
    return print_summary(console, options.assignment, len(chosen), outcomes, options.settings.trust, work.store.refused)


def _require_sandbox() -> None:
    from autograder.sandbox.outside.bubblewrap import SandboxMissing, find

    try:
        find()
    except SandboxMissing as error:
        raise LookupError(str(error)) from None


def _found(course: Course, assignment: str) -> list[HandIn]:
    submitted = course.grading / "submitted"
    found = handed_in(course, submitted, assignment, known_students(course))
    if not found:
        raise LookupError(
            f"There are no submissions. Expected folders {submitted}/<student>/{assignment} with a notebook."
        )
    return found


def _chosen(found: Sequence[HandIn], options: Options) -> list[HandIn]:
    """Return the hand-ins of all students, or of the requested ones."""
    wanted = [normal(student) for student in options.students]
    if unknown := [student for student in wanted if student not in {normal(one.student) for one in found}]:
        raise LookupError(f"{unknown[0]!r} has handed in nothing for {options.assignment}.")
    return [one for one in found if not wanted or normal(one.student) in wanted]


def _watched(ready: Outcomes, total: int) -> Iterator[Outcome]:
    with progress("grading", total) as step, contextlib.closing(ready):
        for outcome in ready:
            step()
            yield outcome


def _write(ready: Iterator[Outcome], writer: GradebookWriter, written: list[Outcome]) -> None:
    """Write outcomes into the gradebook as they arrive, and add them to ``written``; a failed write is a failed outcome."""

    def write(outcome: Outcome) -> None:
        written.append(writer.write(outcome))

    in_order = ThreadPoolExecutor(1)
    try:
        for done in [in_order.submit(write, outcome) for outcome in ready]:
            done.result()
    finally:
        in_order.shutdown(cancel_futures=True)
