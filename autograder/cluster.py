"""Stage A on a Dask cluster: submissions travel as bytes, results as JSON, and no student code runs in a Dask worker's process."""

import base64
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from autograder.class_runner import FAILED, GRADED, HUMAN, Job, Outcome, read_submission, start_worker

#: How often Dask gives a submission to another worker when one is lost or fails.
RETRIES = 3

_pools: list[ProcessPoolExecutor] = []


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


def task(data: bytes) -> str:
    """What a Dask worker runs: hand the submission to a process of its own, which keeps its sandbox from one task to the next.

    Raises BrokenProcessPool when that process has died; Dask then tries again, here or elsewhere.
    """
    import multiprocessing

    if not _pools:
        _pools.append(ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), start_worker))
    try:
        return _pools[0].submit(grade_bytes, data).result()
    except BrokenProcessPool:
        _pools.clear()
        raise


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
        raise LookupError("--scheduler needs the package distributed: pip install 'attention-course[cluster]'") from None
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
