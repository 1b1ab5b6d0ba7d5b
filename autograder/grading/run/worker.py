"""The inside of a grading process. ``python -m autograder.grading.run.worker`` reads tasks from standard input until it ends."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import IO, Any

from autograder.grading.run.executors import Host, Trusting
from autograder.grading.run.grade import grade
from autograder.grading.run.pool import NeedsHuman, Task, describe, inside, read_frame, unpack_task, write_frame
from autograder.grading.run.result import Result
from autograder.grading.run.sandbox_executor import Sealed
from autograder.sandbox.outside.sandbox import Box, SandboxMissing
from autograder.sandbox.outside.session import SetUpFailed


def main() -> None:
    """Answer tasks, each with ``+`` and its result, ``?`` and what a person should look at, or ``-`` and what went wrong."""
    import torch

    questions, answers = inside()
    torch.set_num_threads(1)  # one such process runs on each core
    boxes = Boxes()
    for task in _tasks(questions):
        write_frame(answers, _answer(task, boxes))
        gc.collect()
    boxes.close()


def _tasks(questions: IO[bytes]) -> Iterator[Task]:
    while True:
        try:
            yield unpack_task(read_frame(questions))
        except EOFError:
            return


def _answer(task: Task, boxes: "Boxes") -> bytes:
    try:
        return b"+" + grade_task(task, boxes).as_json().encode()
    except (NeedsHuman, SetUpFailed) as error:
        return f"?{error}".encode()
    except SandboxMissing as error:
        return f"-sandbox: {error}".encode()
    except Exception as error:  # our own bug or a machine fault: report it, and continue with the other tasks
        return f"-{describe(error)}".encode()


def grade_task(task: Task, boxes: "Boxes") -> Result:
    """Grade a task in the sandbox or, for a trusted submission, in a process that ends with it."""
    if task.settings.trust:
        return _in_own_process(task)
    try:
        return _grade(task, boxes.get(task))
    except SandboxMissing:  # it has ended; restart it once
        boxes.close()
        return _grade(task, boxes.get(task))


def _grade(task: Task, box: Box | None) -> Result:
    submission, files = task.submission, task.submission.files
    host: Host = Trusting(task.lesson, files) if box is None else Sealed(task.lesson, box, files, submission.author)
    lessons, only, known = task.settings.lessons, task.only, task.known
    return grade(submission, lessons, task.seed, host, only, known, causes=task.causes, others=task.others)


class Boxes:
    """The sandbox of this process: started on first use, and restarted after it ends or when other limits are requested."""

    def __init__(self) -> None:
        self.box: Box | None = None
        self.settings: Any = None

    def get(self, task: Task) -> Box:
        libraries = task.lesson.libraries_in("") if task.lesson else None
        wanted = (task.settings.limits, task.settings.gpu, task.settings.label, libraries)
        if self.box is None or self.settings != wanted or self.box.process.poll() is not None:
            self.close()
            self.settings = wanted
            self.box = Box(task.settings.limits, None, task.settings.gpu, task.settings.label, libraries)
        return self.box

    def close(self) -> None:
        if self.box is not None:
            self.box.close()
            self.box = None


def _in_own_process(task: Task) -> Result:
    """Grade a trusted submission in its own process, forked where possible because this process has loaded PyTorch."""
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_grade_and_send, args=(sender, task))
    process.start()
    sender.close()
    seconds = task.settings.limits.total_wall
    try:
        if not wait([receiver, process.sentinel], seconds):
            raise NeedsHuman(
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
        raise NeedsHuman(f"its code ended the process that ran it (exit status {process.exitcode})")
    raise RuntimeError(answer)  # our own bug or a machine fault


def _kill_group(process: Any) -> None:
    """Kill a process and every process that its code has started."""
    with contextlib.suppress(OSError, AttributeError):  # already ended, or a system without process groups
        os.killpg(process.pid, signal.SIGKILL)
    process.join(1.0)
    process.kill()
    process.join()


def _grade_and_send(sender: Any, task: Task) -> None:
    if hasattr(os, "setsid"):
        os.setsid()
    try:
        sender.send(_grade(task, None))
    except Exception as error:  # not an error of the submission: those are part of the result
        sender.send(describe(error))


if __name__ == "__main__":
    main()
