"""Stands in for the process that grades: it dies on some submissions, and needs no PyTorch. For tests of what is around it."""

import os
import sys
import time
from pathlib import Path

from autograder.content import notebook
from autograder.grading.run.pool import GradingJob, read_frame, unpack_job, write_frame
from autograder.grading.run.result import Result, checks_version, environment

EXERCISE, POINTS, PARTIAL = "softmax", 7.0, 5.0


def main():
    while True:
        try:
            task = unpack_job(read_frame(sys.stdin.buffer))
        except EOFError:
            return
        cells = task.submission.cells
        text = next((cell["source"] for cell in cells if notebook.grade_id(cell) == EXERCISE), cells[0]["source"])
        if text == "killer":
            os._exit(9)
        if text.startswith("once "):  # the first process that sees it dies, the next one does not
            mark = Path(text.removeprefix("once "))
            if not mark.exists():
                mark.touch()
                os._exit(9)
        if text.startswith("stays "):  # the first process that sees it says whose child it is, and does not answer
            mark = Path(text.removeprefix("stays "))
            if not mark.exists():
                mark.with_suffix(".part").write_text(str(os.getppid()))
                mark.with_suffix(".part").rename(mark)
                time.sleep(1000)
        if text == "causes kill" and task.causes:
            os._exit(9)
        if text == "hangs":
            time.sleep(1000)
        if text == "raises":
            write_frame(sys.stdout.buffer, b"-RuntimeError: of ours")
            continue
        if text == "garbled":
            write_frame(sys.stdout.buffer, b"+{}")
            continue
        write_frame(sys.stdout.buffer, b"+" + result(task, text).as_json().encode())


def result(task: GradingJob, text: str) -> Result:
    """Return full points for an exercise with ``amax`` and fewer for any other, and 1 if there is no such exercise.

    Its cell prints its own text.
    """
    digest = "0" * 64 if text == "another's" else task.submission.digest
    made = Result(
        task.submission.assignment,
        digest,
        task.seed,
        not task.settings.trust,
        checks_version(task.settings.lessons),
        environment(),
        exercises=[{"earned": 1, "points": 1}],
    )
    for number, cell in enumerate(task.submission.cells):
        if notebook.grade_id(cell) == EXERCISE:
            earned = POINTS if "amax" in text else PARTIAL
            made.outputs[number] = [{"output_type": "stream", "name": "stdout", "text": text}]
            made.scores[f"check-{EXERCISE}"] = (earned, POINTS)
            made.exercises = [{"name": EXERCISE, "earned": earned, "points": POINTS}]
    return made


if __name__ == "__main__":
    main()
