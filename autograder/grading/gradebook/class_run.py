"""Grade a whole class: results in parallel, while one writer puts finished ones into the gradebook."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from autograder.grading.console import console as make_console
from autograder.grading.console import plain, print_table, progress
from autograder.grading.course import Course
from autograder.grading.gradebook.collected import marked_late
from autograder.grading.gradebook.enrolment import handed_in, roster_of
from autograder.grading.gradebook.please_look import things_to_look_at
from autograder.grading.gradebook.queries import committed_key, known_students, released_assignment
from autograder.grading.gradebook.sync import sync_gradebook
from autograder.grading.roster.roster import Student
from autograder.grading.run.batch import Batch, Outcomes, locally
from autograder.grading.run.pool import describe
from autograder.grading.run.result import Result
from autograder.grading.run.status import (
    FAILED,
    GRADED,
    HUMAN,
    Outcome,
    counts,
    late_without_time,
    regraded,
    same_as_others,
    save_status,
)
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.read import HandIn, canonical_id
from autograder.grading.submission.released import Released

if TYPE_CHECKING:
    from autograder.grading.gradebook.writer import GradebookWriter


def show_difference(
    course: Course, released: Released, store: Store, outcomes: Sequence[Outcome], console: Console
) -> int:
    """Print the changes of points, with their reasons, that writing the results would make in the gradebook. Write nothing."""
    table = Table(title=f"{released.assignment}: what a regrade would change")
    for title in ("student", "exercise", "now", "then", "why"):
        table.add_column(title, justify="right" if title in ("now", "then") else "left")
    changed = 0
    for outcome in sorted(outcomes, key=lambda o: o.student):
        if outcome.state != GRADED:
            continue
        old = store.get(key) if (key := committed_key(course, released, outcome.student)) else None
        rows = changes(old, store.get(outcome.key))
        changed += bool(rows)
        for row in rows:
            table.add_row(*map(plain, (outcome.student, *row)))
    print_not_graded(console, released.assignment, outcomes)
    console.print(table if changed else "Nobody's points would change.")
    print(f"grade --diff: {len(outcomes)} submissions, {changed} would change; nothing was written to the gradebook")
    return 0 if all(o.state != FAILED for o in outcomes) else 1


def changes(old: Result | None, new: Result | None) -> list[tuple[str, str, str, str]]:
    """Return (exercise, points before, points after, reason) for each change; a missing exercise counts as 0."""
    before, after = ({e["name"]: e for e in (result.exercises if result else ())} for result in (old, new))
    rows = []
    for name in after | before:
        was, will = before.get(name), after.get(name)
        earned = [exercise["earned"] if exercise else 0.0 for exercise in (was, will)]
        if earned[0] != earned[1]:
            rows.append((name, *(f"{points:g}" for points in earned), _changed_checks(was, will)))
    return rows


def _changed_checks(was: Mapping[str, Any] | None, will: Mapping[str, Any] | None) -> str:
    """Return the checks whose points differ."""
    before, after = ({c["name"]: c for c in (exercise or {}).get("checks", ())} for exercise in (was, will))
    parts = []
    for name in after | before:
        old, new = before.get(name, {}), after.get(name, {})
        if old.get("earned", 0.0) != new.get("earned", 0.0):
            cause = new.get("cause") or old.get("cause") or ""
            parts.append((new or old)["sentence"] + (f" ({cause})" if cause else ""))
    return "; ".join(parts) or "not graded before"


def print_not_graded(console: Console, assignment: str, outcomes: Sequence[Outcome]) -> None:
    """Print the students who were not graded, with the reasons."""
    rows = [(o.student, o.state, o.reason) for o in outcomes if o.state != GRADED]
    print_table(console, f"{assignment}: not graded", rows)


def print_summary(
    console: Console,
    assignment: str,
    handed_in: int,
    outcomes: Sequence[Outcome],
    students: Mapping[str, Student],
    trusted: bool,
    refused: Sequence[str],
) -> int:
    """Print the items that need a person's attention, and the counts. Return 0 if each submission is graded or needs a person."""
    looks = things_to_look_at(assignment, ((students.get(o.student) or Student(o.student), o, ()) for o in outcomes))
    rows = [(look.who, look.state, look.why, look.next_step) for look in looks]
    print_table(console, f"{assignment}: please look", rows, ("who", "state", "why", "next step"))
    if refused:
        print(regraded(refused))
    if trusted:
        print("Not sealed: these submissions were graded without a sandbox, and every result says so.")
    print(counts(handed_in, outcomes))
    ended = sum(o.state in (GRADED, HUMAN, FAILED) for o in outcomes)
    if ended != handed_in:
        print(f"grade: the counts do not add up: {ended} of {handed_in}. Please report this.")
    return 0 if ended == handed_in and not any(o.state == FAILED for o in outcomes) else 1


@dataclass(frozen=True)
class GradeOptions:
    """The options of the command line. ``students`` are literal ids, not patterns; empty for all."""

    assignment: str
    workers: int = 1
    scheduler: str | None = None
    diff: bool = False
    force: bool = False
    students: Sequence[str] = ()
    settings: Settings = field(default_factory=Settings)


def grade_class(course: Course, options: GradeOptions) -> int:
    """Grade the submissions of an assignment. Returns 0 if each is graded or needs a human and the counts add up.

    Raises LookupError if there is nothing to grade, or if something needed for grading is missing.
    """
    console = make_console()
    released = released_assignment(course, options.assignment)
    hand_ins = _hand_ins(course, options.assignment)
    chosen, authors = _chosen(hand_ins, options), sorted({hand_in.author for hand_in in hand_ins})
    if not options.settings.trust and not options.scheduler:
        _require_sandbox()
    batch = Batch(course.grading, released, options.settings, Store(course.grading), options.force, authors)
    stream = _stream(batch, chosen, options)
    if options.diff:
        return show_difference(course, released, batch.store, list(_with_progress(stream, len(chosen))), console)
    outcomes: list[Outcome] = []
    try:
        with contextlib.chdir(course.root):  # where nbgrader looks for its folders
            _write(_with_progress(stream, len(chosen)), lambda: _writer(course, options), outcomes)
    finally:  # also when a run is interrupted
        roster = roster_of(course)
        outcomes = same_as_others(sorted(outcomes, key=lambda outcome: outcome.student), roster.groups)
        outcomes = late_without_time(outcomes, marked_late(course, options.assignment))
        save_status(course.grading, options.assignment, outcomes)
    for message in sync_gradebook(course):
        console.print(plain(message))
    return print_summary(
        console,
        options.assignment,
        len(chosen),
        outcomes,
        {student.id: student for student in roster.students},
        options.settings.trust,
        batch.store.refused,
    )


def _stream(batch: Batch, chosen: Sequence[HandIn], options: GradeOptions) -> Outcomes:
    if not options.scheduler:
        return locally(batch, chosen, options.workers)
    from autograder.grading.run.cluster import on_cluster  # with joblib, which takes a quarter of a second to load

    return on_cluster(batch, chosen, options.scheduler)


def _require_sandbox() -> None:
    from autograder.sandbox.outside.bubblewrap import SandboxMissing, find

    try:
        find()
    except SandboxMissing as error:
        raise LookupError(str(error)) from None


def _hand_ins(course: Course, assignment: str) -> list[HandIn]:
    submitted = course.grading / "submitted"
    hand_ins = handed_in(course, submitted, assignment, known_students(course))
    if not hand_ins:
        raise LookupError(
            f"There are no submissions. Expected folders {submitted}/<student>/{assignment} with a notebook."
        )
    return hand_ins


def _chosen(hand_ins: Sequence[HandIn], options: GradeOptions) -> list[HandIn]:
    """Return the hand-ins of all students, or of the requested ones."""
    ids = [canonical_id(student) for student in options.students]
    if unknown := [
        student for student in ids if student not in {canonical_id(hand_in.student) for hand_in in hand_ins}
    ]:
        raise LookupError(f"{unknown[0]!r} has handed in nothing for {options.assignment}.")
    return [hand_in for hand_in in hand_ins if not ids or canonical_id(hand_in.student) in ids]


def _with_progress(ready: Outcomes, total: int) -> Outcomes:
    with progress("grading", total) as step, contextlib.closing(ready):
        for outcome in ready:
            step()
            yield outcome


def _writer(course: Course, options: GradeOptions) -> "GradebookWriter":
    # Here, because nbgrader's converters take a second to load.
    from autograder.grading.gradebook.writer import GradebookWriter

    try:
        return GradebookWriter(course, options.assignment, options.force)
    except Exception as error:  # in the course's own configuration file, say
        raise LookupError(f"The gradebook cannot be written: {describe(error)}") from None


def _write(ready: Outcomes, make: "Callable[[], GradebookWriter]", written: list[Outcome]) -> None:
    """Write outcomes into the gradebook as they arrive, and add them to ``written``; a failed write gives a failed outcome.

    The writer is created in the thread that writes, while the first submissions are being graded.
    """
    in_order = ThreadPoolExecutor(1)
    made = in_order.submit(make)

    def write(outcome: Outcome) -> None:
        written.append(made.result().write(outcome))

    waiting: list[Future[None]] = []
    try:
        for outcome in ready:
            waiting.append(in_order.submit(write, outcome))
            if made.done():
                made.result()  # an error ends the run
        for done in waiting:
            done.result()
    finally:
        ready.close()
        in_order.shutdown(cancel_futures=True)
