"""A grading process: ``python -m autograder.grading.run.worker`` reads jobs from standard input until it ends."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import IO, TYPE_CHECKING, Any

from autograder.grading.run.pool import (
    GradingJob,
    ManualReviewNeeded,
    describe,
    inside,
    read_frame,
    unpack_job,
    write_frame,
)
from autograder.grading.run.result import Result
from autograder.sandbox.outside.sandbox import Sandbox, SandboxMissing, SetUpFailed

if TYPE_CHECKING:
    from autograder.grading.run.executors import Executor


def main() -> None:
    """Answer jobs: ``+`` and the result, ``?`` and the reason why a person has to look, or ``-`` and why it failed."""
    requests, answers = inside()
    sandboxes = SandboxCache()
    for number, job in enumerate(_jobs(requests)):
        write_frame(answers, _answer(job, sandboxes))
        gc.collect()
        if number == 0:
            gc.freeze()  # what the first job has loaded stays: the collection after each of the others need not look at it
    sandboxes.close()


def _jobs(requests: IO[bytes]) -> Iterator[GradingJob]:
    while True:
        try:
            yield unpack_job(read_frame(requests))
        except EOFError:
            return


def _answer(job: GradingJob, sandboxes: "SandboxCache") -> bytes:
    try:
        return b"+" + grade_job(job, sandboxes).as_json().encode()
    except (ManualReviewNeeded, SetUpFailed) as error:
        return f"?{error}".encode()
    except SandboxMissing as error:
        return f"-sandbox: {error}".encode()
    except Exception as error:  # our own bug or a machine fault: report it, and continue with the other jobs
        return f"-{describe(error)}".encode()


def grade_job(job: GradingJob, sandboxes: "SandboxCache") -> Result:
    """Grade a job in the sandbox or, for a trusted submission, in a process that ends with it."""
    if job.settings.trust:
        return _in_own_process(job)
    try:
        return _grade(job, sandboxes.get(job))
    except SandboxMissing:  # it has ended; restart it once
        sandboxes.close()
        return _grade(job, sandboxes.get(job))


def _grade(job: GradingJob, sandbox: Sandbox | None) -> Result:
    # Here, because they load PyTorch, and so does the sandbox meanwhile.
    from autograder.grading.run.executors import TrustedExecutor
    from autograder.grading.run.grade import grade
    from autograder.grading.run.sandbox_executor import SandboxExecutor

    submission, files = job.submission, job.submission.files
    executor: Executor = (
        TrustedExecutor(job.lesson, files)
        if sandbox is None
        else SandboxExecutor(job.lesson, sandbox, files, submission.author)
    )
    lessons, only, known = job.settings.lessons, job.only, job.known
    return grade(submission, lessons, job.seed, executor, only, known, causes=job.causes, others=job.others)


class SandboxCache:
    """The sandbox of this process: started on first use, and restarted if it has ended or when the limits change."""

    def __init__(self) -> None:
        self.sandbox: Sandbox | None = None
        self.settings: Any = None

    def get(self, job: GradingJob) -> Sandbox:
        libraries = job.lesson.libraries_in("") if job.lesson else None
        wanted = (job.settings.limits, job.settings.gpu, job.settings.label, libraries)
        if self.sandbox is None or self.settings != wanted or self.sandbox.process.poll() is not None:
            self.close()
            self.settings = wanted
            self.sandbox = Sandbox(job.settings.limits, None, job.settings.gpu, job.settings.label, libraries)
        return self.sandbox

    def close(self) -> None:
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None


def _in_own_process(job: GradingJob) -> Result:
    """Grade a trusted submission in its own process, forked where possible because this process has loaded PyTorch."""
    import autograder.grading.run.grade  # noqa: F401 before the fork, for all submissions

    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_grade_and_send, args=(sender, job))
    process.start()
    sender.close()
    seconds = job.settings.limits.total_wall
    try:
        if not wait([receiver, process.sentinel], seconds):
            raise ManualReviewNeeded(
                f"grading did not finish within {seconds:g} s; a sandbox would have stopped the cell that takes so long"
            )
        answer = receiver.recv() if receiver.poll() else None
    except EOFError:
        answer = None
    finally:
        _kill_group(process)
        receiver.close()
    if isinstance(answer, Result):
        return answer
    if answer is None:
        raise ManualReviewNeeded(f"its code ended the process that ran it (exit status {process.exitcode})")
    raise RuntimeError(answer)  # our own bug or a machine fault


def _kill_group(process: Any) -> None:
    """Kill a process and all processes that its code has started."""
    with contextlib.suppress(OSError, AttributeError):  # already ended, or a system without process groups
        os.killpg(process.pid, signal.SIGKILL)
    process.join(1.0)
    process.kill()
    process.join()


def _grade_and_send(sender: Any, job: GradingJob) -> None:
    if hasattr(os, "setsid"):
        os.setsid()
    try:
        sender.send(_grade(job, None))
    except Exception as error:  # not an error of the submission: those are part of the result
        sender.send(describe(error))


if __name__ == "__main__":
    main()
