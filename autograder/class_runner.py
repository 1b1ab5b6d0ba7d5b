"""Grade a whole class: stage A in parallel, one result file for each submission; then stage B, one writer, into the gradebook."""

import dataclasses
import json
import multiprocessing
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course import Course

GRADED, HUMAN, FAILED = "graded", "needs a human", "failed here, run again"

#: How often a submission is tried again after the process that graded it has died.
TRIES = 3


@dataclass(frozen=True)
class Job:
    """One submission: where it lies, and which notebook of the assignment it should hold."""

    student: str
    assignment: str
    notebook: str
    root: str
    source: Any = None


@dataclass
class Outcome:
    """What stage A made of a submission."""

    student: str
    state: str
    key: str = ""
    reason: str = ""
    ready: bool = False
    seconds: float = 0.0


# ---------------------------------------------------------------- stage A


def work(job: Job, trust: bool = False, seed: int | None = None) -> Outcome:
    """Grade one submission and store its result, unless it is there already. Never raises for what a submission does."""
    from autograder.nbgrader_plugins import guard, sealed
    from autograder.results import Store
    from autograder.sandbox.bubblewrap import SandboxMissing

    start = time.perf_counter()
    os.environ[guard.TRUST] = "1" if trust else ""
    store = Store(Path(job.root, "grading"), seed)
    try:
        cells, files = read_submission(job)
    except (guard.UnsafeSubmission, ValueError, OSError, RecursionError) as error:
        return Outcome(job.student, HUMAN, reason=" ".join(str(error).split())[:300] or type(error).__name__)
    key, _ = sealed.name_and_seed(store, job.assignment, cells, files)
    ready = store.get(key) is not None
    try:
        sealed.ready_or_graded(store, job.assignment, cells, files)
    except SandboxMissing as error:
        return Outcome(job.student, FAILED, key, f"sandbox: {error}")
    except Exception as error:  # a fault of ours or of this machine's must not stop the others
        return Outcome(job.student, FAILED, key, f"{type(error).__name__}: {error}"[:300])
    return Outcome(job.student, GRADED, key, ready=ready, seconds=time.perf_counter() - start)


def work_many(jobs: Sequence[Job], trust: bool = False, seed: int | None = None) -> list[Outcome]:
    """Grade several submissions of one assignment with pytest set up once."""
    from autograder import catalogue
    from autograder.runner import in_one_session

    def body() -> list[Outcome]:
        return [work(job, trust, seed) for job in jobs]

    return in_one_session(jobs[0].assignment, body) if catalogue.has_checks(jobs[0].assignment) else body()


def batches(jobs: Sequence[Job], workers: int) -> list[list[Job]]:
    """Cut the jobs into pieces: large enough to save set-up, small enough that all workers end at about the same time."""
    size = max(1, min(8, len(jobs) // (4 * workers)))
    return [list(jobs[start : start + size]) for start in range(0, len(jobs), size)]


def read_submission(job: Job) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Return the cells and the other files of a submission. Raises UnsafeSubmission, ValueError or OSError."""
    from autograder import notebooks
    from autograder.nbgrader_plugins import guard
    from autograder.nbgrader_plugins.sources import rebuild

    folder = Path(job.root, "grading", "submitted", job.student, job.assignment)
    files = guard.extra_files(folder)
    path = folder / f"{job.notebook}.ipynb"
    if not path.is_file():
        raise ValueError(f"there is no {path.name} in {folder}")
    return rebuild(notebooks.read(path), job.source)["cells"], files


def start_worker() -> None:
    """Prepare a process that grades: one thread, since there is one such process for each core."""
    import torch

    torch.set_num_threads(1)


def run_locally(
    jobs: Sequence[Job], workers: int, trust: bool, seed: int | None, done: Callable[[Outcome], None]
) -> None:
    """Run stage A in ``workers`` processes. A process that dies costs only time: what it had is given to a new one."""
    tries: Counter[str] = Counter()
    waiting = list(jobs)
    while waiting:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["torch", "autograder.nbgrader_plugins.sealed", "autograder.class_runner"])
        with ProcessPoolExecutor(workers, context, start_worker) as pool:
            futures = {pool.submit(work_many, batch, trust, seed): batch for batch in batches(waiting, workers)}
            waiting = []
            for batch, outcomes in _finished(futures):
                for outcome in outcomes or ():
                    done(outcome)
                waiting += again(batch, tries, done) if outcomes is None else []


def again(batch: Sequence[Job], tries: Counter[str], done: Callable[[Outcome], None]) -> list[Job]:
    """Return the jobs to be tried again after their process has died; those that have been tried often enough have failed."""
    tries.update(job.student for job in batch)
    for job in batch:
        if tries[job.student] >= TRIES:
            done(Outcome(job.student, FAILED, reason="the process that graded it died, more than once"))
    return [job for job in batch if tries[job.student] < TRIES]


def _finished(futures: dict[Future, list[Job]]) -> Iterator[tuple[list[Job], list[Outcome] | None]]:
    """Yield each batch with its outcomes, or with None when its process has died."""
    left = set(futures)
    while left:
        ended, left = wait(left, return_when=FIRST_COMPLETED)
        for future in ended:
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                yield futures[future], None


# ---------------------------------------------------------------- the command


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
        return show_difference(course, options, outcomes, console)
    if any(o.state == GRADED for o in outcomes):
        outcomes = _stage_b(course, options, outcomes, console)
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


# ---------------------------------------------------------------- stage B


def _stage_b(course: Course, options: Options, outcomes: Sequence[Outcome], console: Console) -> list[Outcome]:
    """Write the results into the gradebook with nbgrader's own converter. What is there already is left alone."""
    changed = [o for o in outcomes if o.state == GRADED and _committed(course, options.assignment, o.student) != o.key]
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("writing the gradebook", total=len(changed))
        failed = {}
        for outcome in changed:
            if problem := _commit(course, options, outcome.student):
                failed[outcome.student] = problem
            progress.advance(bar)
    return [
        dataclasses.replace(o, state=FAILED, reason=failed[o.student]) if o.student in failed else o for o in outcomes
    ]


def _committed(course: Course, assignment: str, student: str) -> str:
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


def _commit(course: Course, options: Options, student: str) -> str:
    """Write one student's result into the gradebook. Returns what went wrong, or nothing."""
    from autograder.nbgrader_plugins import guard

    warnings.filterwarnings("ignore", "Object of type .* not in session")  # nbgrader's own way with its database
    os.environ[guard.TRUST] = "1" if options.trust else ""
    os.environ["AUTOGRADER_CLASS_SEED"] = "" if options.seed is None else str(options.seed)
    return " ".join(_Nbgrader.autograde(course, options.assignment, student).split())[-300:]


def _plain(text: str) -> Text:
    """Text that a student may have chosen: shown as it is, also where it looks like markup or cannot be printed."""
    return Text(text.encode("utf8", "replace").decode("utf8"))


def _summary(
    course: Course, options: Options, jobs: Sequence[Job], outcomes: Sequence[Outcome], console: Console
) -> int:
    notable = [o for o in outcomes if o.state != GRADED]
    if notable:
        table = Table(title=f"{options.assignment}: not graded")
        for title in ("student", "state", "why"):
            table.add_column(title)
        for outcome in notable:
            table.add_row(*map(_plain, (outcome.student, outcome.state, outcome.reason)))
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


# ---------------------------------------------------------------- --diff


def show_difference(course: Course, options: Options, outcomes: Sequence[Outcome], console: Console) -> int:
    """Print who would change, by how much and why, if the results were written into the gradebook. Nothing is written."""
    from autograder.results import Store

    store = Store(course.grading, options.seed)
    table = Table(title=f"{options.assignment}: what a regrade would change")
    for title, justify in (
        ("student", "left"),
        ("exercise", "left"),
        ("now", "right"),
        ("then", "right"),
        ("why", "left"),
    ):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]  # left and right are among the allowed words
    changed = 0
    for outcome in outcomes:
        if outcome.state != GRADED:
            continue
        old = store.get(_committed(course, options.assignment, outcome.student))
        new = store.get(outcome.key)
        rows = _changes(old, new)
        changed += bool(rows)
        for row in rows:
            table.add_row(*map(_plain, (outcome.student, *row)))
    console.print(table if changed else "Nobody's points would change.")
    print(f"grade --diff: {len(outcomes)} submissions, {changed} would change; nothing was written to the gradebook")
    return 0 if all(o.state != FAILED for o in outcomes) else 1


def _changes(old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[tuple[str, str, str, str]]:
    before, after = (
        {e["name"]: e for e in (result or {}).get("exercises", ())} for result in (old, new)
    )  # an exercise that is only in one of them counts as 0 in the other
    rows = []
    for name in after | before:
        was, will = before.get(name), after.get(name)
        earned = [exercise["earned"] if exercise else 0.0 for exercise in (was, will)]
        if earned[0] != earned[1]:
            rows.append((name, *(f"{points:g}" for points in earned), _why(was, will)))
    return rows


def _why(was: dict[str, Any] | None, will: dict[str, Any] | None) -> str:
    """Return the checks whose points differ."""
    before, after = ({c["name"]: c for c in (exercise or {}).get("checks", ())} for exercise in (was, will))
    told = []
    for name in after | before:
        old, new = before.get(name, {}), after.get(name, {})
        if old.get("earned", 0.0) != new.get("earned", 0.0):
            cause = new.get("cause") or old.get("cause") or ""
            told.append((new or old)["sentence"] + (f" ({cause})" if cause else ""))
    return "; ".join(told) or "not graded before"
