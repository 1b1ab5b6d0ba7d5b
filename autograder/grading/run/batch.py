"""Grade a batch: every submission becomes a stored result, in parallel and without a database."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TypeVar

from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool, describe
from autograder.grading.run.result import Result
from autograder.grading.run.status import Outcome, graded, needs_review
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.model import Submission, from_folder
from autograder.grading.submission.read import HandIn
from autograder.grading.submission.released import Released

X = TypeVar("X")
Y = TypeVar("Y")

#: Turns a job into a result: processes on this machine, or a cluster. Raises WorkerCrashed or ManualReviewNeeded.
Grader = Callable[[GradingJob], Result]

#: Outcomes as they become ready. Closing the generator stops the submissions still being graded.
Outcomes = Generator[Outcome, None, None]


@dataclass
class Batch:
    """The submissions of one assignment: how to read and grade them, and where to store their results."""

    grading: Path
    released: Released
    settings: Settings
    store: Store
    force: bool = False  # ignore the stored results of earlier runs
    authors: Sequence[str] = ()  # the ids whose own numbers an answer may contain
    new_keys: set[str] = field(default_factory=set)  # keys of the results of this run
    _locks: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))

    def read(self, hand_in: HandIn) -> Submission | Outcome:
        """Read a submission, or return an outcome with the reason why a person has to look at it."""
        if hand_in.problem:
            return needs_review(hand_in.student, hand_in.problem)
        try:
            submission = from_folder(hand_in.student, hand_in.folder, self.released, hand_in.author)
            return replace(submission, notes=(*submission.notes, hand_in.note)) if hand_in.note else submission
        except (ValueError, OSError) as error:
            return needs_review(hand_in.student, error)
        except Exception as error:  # an unforeseen error must not stop the other submissions
            return needs_review(hand_in.student, f"it could not be read: {describe(error)}")

    def _others(self, submission: Submission) -> list[str]:
        return [author for author in self.authors if author != submission.author] if submission.author else []

    def outcome(self, submission: Submission, grader: Grader) -> Outcome:
        """Grade a submission, unless its result exists already, and store the result. Never raises for a single submission."""
        start = time.perf_counter()
        student, key = submission.student, ""
        try:
            key, seed = self.store.key_and_seed(submission, self.settings)
            with self._locks[key]:  # the same work of a group is graded once
                result = None if self.force and key not in self.new_keys else self.store.get(key)
                if result is None:
                    result = grader(GradingJob(submission, seed, self.settings, others=self._others(submission)))
                    self.new_keys.add(key)
                    self.store.put(key, result)
        except ManualReviewNeeded as error:
            return needs_review(student, error)
        except WorkerCrashed as error:
            return Outcome(student, "", key, submission.digest).failed(str(error))
        except Exception as error:  # our own bug or a machine fault must not stop the other submissions
            return Outcome(student, "", key, submission.digest).failed(describe(error))
        return graded(
            student, key, result, self.released, submission.notes, key not in self.new_keys, time.perf_counter() - start
        )


def outcomes(batch: Batch, hand_ins: Sequence[HandIn], grader: Grader, at_a_time: int) -> Outcomes:
    """Yield an outcome for every hand-in, as it becomes ready. Only submissions in progress are in memory."""

    def grade(hand_in: HandIn) -> Outcome:
        submission = batch.read(hand_in)
        return submission if isinstance(submission, Outcome) else batch.outcome(submission, grader)

    yield from in_threads(grade, hand_ins, at_a_time)


def in_order(
    batch: Batch, submissions: Iterable[Submission | Outcome], grader: Grader, at_a_time: int
) -> Iterator[tuple[Submission | None, Outcome]]:
    """Yield the outcomes in order, each with its submission if that was graded, while the next few are in progress."""
    pool, ahead = ThreadPoolExecutor(at_a_time), deque[tuple[Submission | None, Future[Outcome] | Outcome]]()
    try:
        for submission in submissions:
            ahead.append(
                (None, submission)
                if isinstance(submission, Outcome)
                else (submission, pool.submit(batch.outcome, submission, grader))
            )
            if len(ahead) > at_a_time:
                yield _ended(*ahead.popleft())
        while ahead:
            yield _ended(*ahead.popleft())
    finally:  # after an interrupt, the threads end when the processes they wait for are killed
        pool.shutdown(wait=False, cancel_futures=True)


def _ended(submission: Submission | None, outcome: Future[Outcome] | Outcome) -> tuple[Submission | None, Outcome]:
    return submission, outcome if isinstance(outcome, Outcome) else outcome.result()


def in_threads(do: Callable[[X], Y], items: Iterable[X], at_a_time: int) -> Iterator[Y]:
    """Yield ``do(item)`` for every item as results become ready, ``at_a_time`` of them at once."""
    waiting, running = iter(items), set[Future[Y]]()
    pool = ThreadPoolExecutor(at_a_time)
    try:
        for item in waiting:
            running.add(pool.submit(do, item))
            if len(running) >= at_a_time:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ended)
    finally:  # after an interrupt, the threads end when the processes they wait for are killed
        pool.shutdown(wait=False, cancel_futures=True)


def locally(batch: Batch, hand_ins: Sequence[HandIn], workers: int) -> Outcomes:
    """Grade in ``workers`` processes on this machine."""
    with WorkerPool(workers) as pool:
        yield from outcomes(batch, hand_ins, pool.grade, workers)
