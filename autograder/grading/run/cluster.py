"""Grade on a Dask cluster: submissions travel as bytes, results as JSON; no student code runs in a Dask worker."""

import threading
from collections.abc import Sequence
from typing import Any

from joblib import cpu_count

from autograder.grading.run.batch import Batch, Outcomes, outcomes
from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool, unpack_job
from autograder.grading.run.result import Result, checks_version, environment
from autograder.grading.submission.read import HandIn

#: How often Dask reassigns a submission after losing a worker.
RETRIES = 3

#: Seconds to wait for the scheduler to answer.
_PATIENCE = 20

#: The processes that grade for this Dask worker, regardless of its number of threads.
_pool: WorkerPool | None = None
_starting = threading.Lock()


def _worker_pool() -> WorkerPool:
    global _pool
    with _starting:
        if _pool is None:
            _pool = WorkerPool(cpu_count())
        return _pool


def grade_packed(data: bytes) -> str:
    """Grade a submission in the Dask worker's own pool. Runs in one of the worker's threads.

    Returns ``+`` and the result, ``?`` and the reason why a person has to look, or ``-`` and the reason for the failure. The pool
    has already retried by then; Dask retries only if its worker is lost.
    """
    try:
        return "+" + _worker_pool().grade(unpack_job(data)).as_json()
    except ManualReviewNeeded as error:
        return f"?{error}"
    except WorkerCrashed as error:
        return f"-{error}"


def on_cluster(batch: Batch, hand_ins: Sequence[HandIn], scheduler: str) -> Outcomes:
    """Grade on the cluster at ``scheduler``. Existing results are not recomputed.

    Raises LookupError if the package is missing or the scheduler does not answer, and ValueError for trusted submissions:
    without a sandbox, student code would run on machines of the cluster.
    """
    if batch.settings.trust:
        raise ValueError("--trust-submissions is not possible together with --scheduler.")
    client = _connect(scheduler)
    with client:
        threads = sum(client.nthreads().values())
        yield from outcomes(batch, hand_ins, lambda job: _grade_there(client, job), max(4, 2 * threads))


def _connect(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise LookupError(
            "--scheduler needs the package distributed: pip install 'attention-course[cluster]'"
        ) from None
    try:
        return Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise LookupError(
            f"No Dask scheduler answers at {scheduler!r} ({error}). Start one with `dask scheduler`, and give the address that "
            "it prints, such as tcp://10.0.0.1:8786."
        ) from None


def _grade_there(client: Any, job: GradingJob) -> Result:
    """Grade a submission on the cluster. The worker must have the same checks and environment as this machine."""
    future = client.submit(grade_packed, job.pack(), retries=RETRIES, pure=False)
    try:
        answer = future.result()
    except Exception as error:  # Dask's own, or one raised on the worker
        raise WorkerCrashed(f"on the cluster: {error}"[:400]) from None
    finally:
        future.release()
    if answer[:1] == "?":
        raise ManualReviewNeeded(answer[1:])
    if answer[:1] == "-":
        raise WorkerCrashed(f"on the cluster: {answer[1:]}")
    result = Result.from_json(answer[1:])
    local = (checks_version(job.settings.lessons), environment())
    if (result.checks, result.environment) != local:
        raise WorkerCrashed(
            f"the worker has checks {result.checks} and {result.environment}, but here they are {local[0]} and {local[1]}: "
            "install the same version of the course there"
        )
    if (result.identity, result.seed) != (job.submission.identity, job.seed):
        raise WorkerCrashed("what came back from the cluster is the result of another submission")
    return result
