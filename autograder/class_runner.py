"""Grade a whole class: stage A in parallel, one result file for each submission; then stage B, one writer, into the gradebook."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.course import Course
from autograder.regrade import plain, show_difference
from autograder.stage_a import FAILED, GRADED, HUMAN, Job, Outcome, run_locally
from autograder.stage_b import write_gradebook


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    assignment: str
    workers: int
    scheduler: str | None = None
    resume: bool = False
    diff: bool = False
    trust: bool = False
    seed: int | None = None


def grade_class(course: Course, options: Options) -> int:
    """Grade every submission of an assignment. Returns 0 when each is graded or needs a human and the counts add up."""
    console = Console(width=None if os.isatty(1) else 110)
    jobs = find_jobs(course, options.assignment)
    if not options.trust:
        from autograder.sandbox.bubblewrap import SandboxMissing, find

        try:
            find()
        except SandboxMissing as error:
            raise LookupError(str(error)) from None
    outcomes = _stage_a(jobs, options, console)
    if options.diff:
        return show_difference(course, options.assignment, options.seed, outcomes, console)
    if any(o.state == GRADED for o in outcomes):
        outcomes = write_gradebook(course, options.assignment, options.trust, options.seed, outcomes, console)
    return _summary(course, options, jobs, outcomes, console)


def find_jobs(course: Course, assignment: str) -> list[Job]:
    """Return a job for every student who has handed something in. Raises LookupError where there is nothing to grade with."""
    from nbgrader.api import Gradebook, MissingEntry

    from autograder.nbgrader_plugins.sources import read_source

    database = course.grading / "gradebook.db"
    missing = LookupError(
        f"The gradebook does not know the assignment {assignment!r} yet. Run this first, in {course.root}: "
        f"nbgrader generate_assignment {assignment}"
    )
    if not database.exists():
        raise missing
    try:
        with Gradebook(f"sqlite:///{database}") as gradebook:
            names = [notebook.name for notebook in gradebook.find_assignment(assignment).notebooks]
        sources = {name: read_source(f"sqlite:///{database}", assignment, name) for name in names}
    except MissingEntry:
        raise missing from None
    if len(sources) != 1:
        raise LookupError(f"Expected one notebook in {assignment!r}, but the gradebook knows {len(sources)}.")
    [(notebook, source)] = sources.items()
    folders = sorted((course.grading / "submitted").glob(f"*/{assignment}"))
    if not folders:
        raise LookupError(
            f"There are no submissions. Expected folders {course.grading / 'submitted'}/<student>/{assignment} with a notebook."
        )
    return [Job(folder.parent.name, assignment, notebook, str(course.root), source) for folder in folders]


def _stage_a(jobs: Sequence[Job], options: Options, console: Console) -> list[Outcome]:
    outcomes: list[Outcome] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("grading", total=len(jobs))

        def done(outcome: Outcome) -> None:
            outcomes.append(outcome)
            progress.advance(bar)

        if options.scheduler:
            from autograder.cluster import run_on_cluster

            run_on_cluster(jobs, options.scheduler, options.trust, options.seed, done)
        else:
            run_locally(jobs, options.workers, options.trust, options.seed, done)
    return sorted(outcomes, key=lambda outcome: outcome.student)


def _summary(
    course: Course, options: Options, jobs: Sequence[Job], outcomes: Sequence[Outcome], console: Console
) -> int:
    notable = [o for o in outcomes if o.state != GRADED]
    if notable:
        table = Table(title=f"{options.assignment}: not graded")
        for title in ("student", "state", "why"):
            table.add_column(title)
        for outcome in notable:
            table.add_row(*map(plain, (outcome.student, outcome.state, outcome.reason)))
        console.print(table)
    states = Counter(o.state for o in outcomes)
    fresh = sum(o.state == GRADED and not o.ready for o in outcomes)
    if options.trust:
        console.print("Not sealed: these submissions were graded without a sandbox, and every result says so.")
    total = states[GRADED] + states[HUMAN] + states[FAILED]
    print(
        f"grade: {len(jobs)} submissions, {states[GRADED]} graded ({fresh} now, {states[GRADED] - fresh} before), "
        f"{states[HUMAN]} need a human, {states[FAILED]} failed here, run again"
    )
    if total != len(jobs):
        print(f"grade: the counts do not add up: {total} of {len(jobs)}. Please report this.")
    return 0 if total == len(jobs) and not states[FAILED] else 1
