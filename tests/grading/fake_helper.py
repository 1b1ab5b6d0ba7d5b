"""Stands in for the process that grades: it dies on some submissions, and needs no PyTorch. For tests of what is around it."""

import os
import sys
import time
from pathlib import Path

from autograder.grading.channel import read_frame, write_frame
from autograder.grading.helpers import unpack_task
from autograder.grading.result import Result


def main():
    while True:
        try:
            task = unpack_task(read_frame(sys.stdin.buffer))
        except EOFError:
            return
        text = task.submission.cells[0]["source"]
        if text == "killer":
            os._exit(9)
        if text.startswith("once "):  # the first process that sees it dies, the next one does not
            mark = Path(text.removeprefix("once "))
            if not mark.exists():
                mark.touch()
                os._exit(9)
        if text == "hangs":
            time.sleep(1000)
        if text == "raises":
            write_frame(sys.stdout.buffer, b"-RuntimeError: of ours")
            continue
        if text == "garbled":
            write_frame(sys.stdout.buffer, b"+{}")
            continue
        digest = "0" * 64 if text == "another's" else task.submission.digest
        sealed = not task.settings.trust
        result = Result(
            task.submission.assignment, digest, task.seed, sealed, "", {}, exercises=[{"earned": 1, "points": 1}]
        )
        write_frame(sys.stdout.buffer, b"+" + result.as_json().encode())


if __name__ == "__main__":
    main()
