"""Grade a whole class: results in parallel, and meanwhile one writer that puts those that are ready into the gradebook."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from rich.console import Console

from autograder.course import Course
from autograder.grading.cluster import on_cluster
from autograder.grading.committed import assignment_in, roster_of
from autograder.grading.differences import show_difference
from autograder.grading.gradebook import GradebookWriter
from autograder.grading.many import ClassWork, locally
from autograder.grading.outcome import Outcome, remember, same_as_others
from autograder.grading.settings import Settings
from autograder.grading.store import Store
from autograder.grading.submission import HandIn, hand_ins
from autograder.grading.summary import print_summary
from autograder.progress import progress


@dataclass(frozen=True)
class Options:
    """What the command line asks for. ``students`` are ids to the letter; none of them means all."""

    assignment: str
    workers: int = 1
    scheduler: str | None = None
    diff: bool = False
    force: bool = False
    students: Sequence[str] = ()
    settings: Settings = field(default_factory=Settings)


def grade_class(course: Course, options: Options) -> int:
    """Grade the submissions of an assignment. Returns 0 when each is graded or needs a human and the counts add up.

    Raises LookupError where there is nothing to grade, or nothing to grade it with.
    """
    console = Console(width=None if os.isatty(1) else 110)
    released = assignment_in(course, options.assignment)
    handed_in = _chosen(course, options)
    if not options.settings.trust and not options.scheduler:
        _require_sandbox()
    work = ClassWork(course.grading, released, options.settings, Store(course.grading), options.force)
    ready = (
        on_cluster(work, handed_in, options.scheduler)
        if options.scheduler
        else locally(work, handed_in, options.workers)
    )
    if options.diff:
        outcomes = list(_watched(ready, len(handed_in)))
        return show_difference(course, released, work.store, outcomes, console)
    with GradebookWriter(course, options.assignment, options.force) as writer:
        outcomes = _written(_watched(ready, len(handed_in)), writer)
    outcomes = same_as_others(sorted(outcomes, key=lambda outcome: outcome.student))
    remember(course.grading, options.assignment, outcomes)
    refused = len(set(work.store.refused))
    return print_summary(console, options.assignment, len(handed_in), outcomes, options.settings.trust, refused)


def _require_sandbox() -> None:
    from autograder.sandbox.bubblewrap import SandboxMissing, find

    try:
        find()
    except SandboxMissing as error:
        raise LookupError(str(error)) from None


def _chosen(course: Course, options: Options) -> list[HandIn]:
    """Return the hand-ins of all students, or of those who are asked for."""
    submitted = course.grading / "submitted"
    found = hand_ins(submitted, options.assignment, roster_of(course))
    if not found:
        raise LookupError(
            f"There are no submissions. Expected folders {submitted}/<student>/{options.assignment} with a notebook."
        )
    if unknown := [student for student in options.students if student not in {one.student for one in found}]:
        raise LookupError(f"{unknown[0]!r} has handed in nothing for {options.assignment}.")
    return [one for one in found if not options.students or one.student in options.students]


def _watched(ready: Iterator[Outcome], total: int) -> Iterator[Outcome]:
    with progress("grading", total) as step, contextlib.closing(ready):  # type: ignore[type-var]
        for outcome in ready:
            step()
            yield outcome


def _written(ready: Iterator[Outcome], writer: GradebookWriter) -> list[Outcome]:
    """Write outcomes into the gradebook as they come. Returns them, with those failed that could not be written."""
    with ThreadPoolExecutor(1) as one:  # answers come in the order of the questions
        return [written.result() for written in [one.submit(writer.write, outcome) for outcome in ready]]
