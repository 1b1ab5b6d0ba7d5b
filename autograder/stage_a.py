"""Stage A of grading a class: one submission in, one result file out, in parallel and without a database."""

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        context.set_forkserver_preload(["torch", "autograder.nbgrader_plugins.sealed", "autograder.stage_a"])
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
