"""A grading process: ``python -m autograder.grading.run.worker`` reads jobs from standard input until it ends."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import IO, Any

from autograder.grading.run.executors import Executor, TrustedExecutor
from autograder.grading.run.grade import grade
from autograder.grading.run.pool import (
    GradingJob,
    ManualReviewNeeded,
    describe,
    inside,
    read_frame,
    unpack_task,
    write_frame,
)
from autograder.grading.run.result import Result
from autograder.grading.run.sandbox_executor import SandboxExecutor
from autograder.sandbox.outside.sandbox import Sandbox, SandboxMissing
from autograder.sandbox.outside.session import SetUpFailed


def main() -> None:
    """Answer tasks, each with ``+`` and its result, ``?`` and what a person should look at, or ``-`` and what went wrong."""
    import torch

    questions, answers = inside()
    torch.set_num_threads(1)  # one such process runs on each core
    boxes = SandboxCache()
    for task in _tasks(questions):
        write_frame(answers, _answer(task, boxes))
        gc.collect()
    boxes.close()


def _tasks(questions: IO[bytes]) -> Iterator[GradingJob]:
    while True:
        try:
            yield unpack_task(read_frame(questions))
        except EOFError:
            return


def _answer(task: GradingJob, boxes: "SandboxCache") -> bytes:
    try:
        return b"+" + grade_task(task, boxes).as_json().encode()
    except (ManualReviewNeeded, SetUpFailed) as error:
        return f"?{error}".encode()
    except SandboxMissing as error:
        return f"-sandbox: {error}".encode()
    except Exception as error:  # our own bug or a machine fault: report it, and continue with the other tasks
        return f"-{describe(error)}".encode()


def grade_task(task: GradingJob, boxes: "SandboxCache") -> Result:
    """Grade a task in the sandbox or, for a trusted submission, in a process that ends with it."""
    if task.settings.trust:
        return _in_own_process(task)
    try:
        return _grade(task, boxes.get(task))
    except SandboxMissing:  # it has ended; restart it once
        boxes.close()
        return _grade(task, boxes.get(task))


def _grade(task: GradingJob, box: Sandbox | None) -> Result:
    submission, files = task.submission, task.submission.files
    host: Executor = (
        TrustedExecutor(task.lesson, files)
        if box is None
        else SandboxExecutor(task.lesson, box, files, submission.author)
    )
    lessons, only, known = task.settings.lessons, task.only, task.known
    return grade(submission, lessons, task.seed, host, only, known, causes=task.causes, others=task.others)


class SandboxCache:
    """The sandbox of this process: started on first use, and restarted after it ends or when other limits are requested."""

    def __init__(self) -> None:
        self.box: Sandbox | None = None
        self.settings: Any = None

    def get(self, task: GradingJob) -> Sandbox:
        libraries = task.lesson.libraries_in("") if task.lesson else None
        wanted = (task.settings.limits, task.settings.gpu, task.settings.label, libraries)
        if self.box is None or self.settings != wanted or self.box.process.poll() is not None:
            self.close()
            self.settings = wanted
            self.box = Sandbox(task.settings.limits, None, task.settings.gpu, task.settings.label, libraries)
        return self.box

    def close(self) -> None:
        if self.box is not None:
            self.box.close()
            self.box = None


def _in_own_process(task: GradingJob) -> Result:
    """Grade a trusted submission in its own process, forked where possible because this process has loaded PyTorch."""
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_grade_and_send, args=(sender, task))
    process.start()
    sender.close()
    seconds = task.settings.limits.total_wall
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
    """Kill a process and every process that its code has started."""
    with contextlib.suppress(OSError, AttributeError):  # already ended, or a system without process groups
        os.killpg(process.pid, signal.SIGKILL)
    process.join(1.0)
    process.kill()
    process.join()


def _grade_and_send(sender: Any, task: GradingJob) -> None:
    if hasattr(os, "setsid"):
        os.setsid()
    try:
        sender.send(_grade(task, None))
    except Exception as error:  # not an error of the submission: those are part of the result
        sender.send(describe(error))


if __name__ == "__main__":
    main()
