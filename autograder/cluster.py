"""Stage A on a Dask cluster: submissions travel as bytes, results as JSON; no student code runs in a Dask worker."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from autograder.stage_a import FAILED, GRADED, HUMAN, Job, Outcome, read_submission, start_worker

#: How often Dask gives a submission to another worker when one is lost or fails.
RETRIES = 3


def pack(assignment: str, cells: Sequence[dict[str, Any]], files: dict[str, bytes], seed: int) -> bytes:
    """Return a submission as bytes."""
    coded = {name: base64.b64encode(data).decode() for name, data in files.items()}
    return json.dumps({"assignment": assignment, "cells": cells, "files": coded, "seed": seed}).encode()


def grade_bytes(data: bytes) -> str:
    """Grade a packed submission in this process's sandbox, and return the result as JSON."""
    from autograder.nbgrader_plugins.sealed import grade_here

    parts = json.loads(data)
    files = {name: base64.b64decode(text) for name, text in parts["files"].items()}
    return json.dumps(grade_here(parts["assignment"], parts["cells"], parts["seed"], files))


class HelperLost(Exception):
    """The process that graded has died."""


class _Helper:
    """A process beside the Dask worker that grades one submission after another and keeps its sandbox in between.

    Not one of multiprocessing: a Dask worker is a daemon in its terms and may have no such children.
    """

    current: "_Helper | None" = None

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder.cluster"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def grade(self, data: bytes) -> str:
        try:
            _write(self.process.stdin, data)
            answer = _read(self.process.stdout)
        except (OSError, EOFError):
            self.process.kill()
            raise HelperLost("the process that graded this submission has died") from None
        if answer[:1] != b"+":
            raise HelperLost(answer[1:].decode(errors="replace"))
        return answer[1:].decode()


def _write(stream: Any, data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _read(stream: Any) -> bytes:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    return stream.read(int.from_bytes(head, "big"))


def helper_main() -> None:
    """Read packed submissions from standard input and write their results to standard output, until the input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not get between the results
    start_worker()
    while True:
        try:
            data = _read(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = b"+" + grade_bytes(data).encode()
        except Exception as error:  # told to the class runner, which counts it
            answer = f"-{type(error).__name__}: {error}"[:300].encode()
        _write(out, answer)


def task(data: bytes) -> str:
    """What a Dask worker runs: hand the submission to its helper.

    Raises HelperLost when that process has died or could not grade; Dask then tries again, here or elsewhere.
    """
    helper = _Helper.current
    if helper is None or helper.process.poll() is not None:
        helper = _Helper.current = _Helper()
    return helper.grade(data)


def run_on_cluster(
    jobs: Sequence[Job], scheduler: str, trust: bool, seed: int | None, done: Callable[[Outcome], None]
) -> None:
    """Run stage A on the cluster at ``scheduler``. Results that are there already are not computed again.

    Raises LookupError when the package is missing or nobody answers at that address, and ValueError for trusted submissions:
    without a sandbox, student code would run on machines of the cluster.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise LookupError(
            "--scheduler needs the package distributed: pip install 'attention-course[cluster]'"
        ) from None
    if trust:
        raise ValueError("--trust-submissions is not possible together with --scheduler.")
    try:
        client = Client(scheduler, timeout=20)
    except (OSError, ValueError) as error:
        raise LookupError(
            f"No Dask scheduler answers at {scheduler!r} ({error}). Start one with `dask scheduler`, and give the address that "
            "it prints, such as tcp://10.0.0.1:8786."
        ) from None
    with client:
        asked = {}
        for job in jobs:
            outcome, key, data = _prepare(job, seed)
            if outcome is not None:
                done(outcome)
                continue
            future = client.submit(task, data, key=f"{job.student}-{key}", retries=RETRIES, pure=False)
            asked[future] = (job, key)
        for future in as_completed(list(asked)):
            done(_finish(future, *asked[future], seed))
            future.release()


def _prepare(job: Job, seed: int | None) -> tuple[Outcome | None, str, bytes]:
    """Read a submission. Returns its outcome where that is known already, and otherwise its key and its bytes."""
    from autograder.nbgrader_plugins import guard, sealed
    from autograder.results import Store

    store = Store(Path(job.root, "grading"), seed)
    try:
        cells, files = read_submission(job)
    except (guard.UnsafeSubmission, ValueError, OSError, RecursionError) as error:
        return Outcome(job.student, HUMAN, reason=" ".join(str(error).split())[:300]), "", b""
    key, own_seed = sealed.name_and_seed(store, job.assignment, cells, files)
    if store.get(key) is not None:
        return Outcome(job.student, GRADED, key, ready=True), key, b""
    return None, key, pack(job.assignment, cells, files, own_seed)


def _finish(future: Any, job: Job, key: str, seed: int | None) -> Outcome:
    """Store what a worker of the cluster has sent."""
    from autograder import submission
    from autograder.results import Store

    if future.status != "finished":
        return Outcome(job.student, FAILED, key, f"on the cluster: {future.exception()!r}"[:300])
    result = json.loads(future.result())
    own = (submission.checks_version(), submission.environment())
    if (result["checks"], result["environment"]) != own:
        told = f"the worker has checks {result['checks']} and {result['environment']}, but here they are {own[0]} and {own[1]}"
        return Outcome(job.student, FAILED, key, told)
    Store(Path(job.root, "grading"), seed).put(key, result)
    return Outcome(job.student, GRADED, key)


if __name__ == "__main__":
    helper_main()
