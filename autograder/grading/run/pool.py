"""Worker processes that grade: each receives jobs as bytes and returns results as JSON.

Student code and its replies are handled in a separate process: a crash costs only one submission a retry. The
same processes serve a class on this machine, a Dask worker and nbgrader.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from autograder.content.lesson import Lesson, Lessons
from autograder.grading.run.result import Result
from autograder.grading.settings import Settings
from autograder.grading.submission.model import Submission, unpack
from autograder.sandbox.inside import namespaces
from autograder.sandbox.limits import Limits

_ROOT = Path(__file__).resolve().parents[3]


def write_frame(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "big"))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes:
    """Return the next frame. Raises EOFError if there is none, or an incomplete one."""
    head = stream.read(8)
    data = stream.read(int.from_bytes(head, "big")) if len(head) == 8 else b""
    if len(head) < 8 or len(data) < int.from_bytes(head, "big"):
        raise EOFError
    return data


class Channel:
    """A process that runs ``python -m module arguments``, seen from outside. Not thread-safe.

    Its standard error goes to the file ``errors``, by default to this process's standard error.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        folder: Path | None = None,
        errors: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ):
        # The child finds the package where this process has it, and not in the current folder (-P).
        path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        )
        assert self.process.stdin is not None  # both are pipes
        assert self.process.stdout is not None
        self._requests, self._answers = self.process.stdin, self.process.stdout

    def ask(self, data: bytes) -> bytes:
        """Send a frame and return the answer. Raises OSError or EOFError if the process has ended."""
        write_frame(self._requests, data)
        return read_frame(self._answers)

    def kill(self) -> int:
        """Kill the process, and return its exit status."""
        self.process.kill()
        return self.process.wait()

    def close(self) -> None:
        """Close the input of the process, and wait until it exits."""
        with contextlib.suppress(OSError):  # it may have ended already
            self._requests.close()
        self.process.wait()
        self._answers.close()


def inside() -> tuple[IO[bytes], IO[bytes]]:
    """Return the request and answer streams of this process, started by :class:`Channel`.

    The process exits with its parent and ignores keyboard interrupts. From now on, printed output goes to standard error, so that
    it cannot corrupt the answers.
    """
    if sys.platform == "linux":
        namespaces.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return requests, answers


#: Attempts per submission when its grading process dies.
TRIES = 3

#: Seconds beyond a submission's own limits after which a grading process counts as hung and is killed.
_BEYOND_LIMITS = 300.0

#: A process is replaced after this many jobs, so that memory stays flat for large classes.
_MOST_JOBS = 100


class WorkerCrashed(Exception):
    """The grading process died, or could not grade. The message gives the reason."""


class JobTimeout(WorkerCrashed):
    """The grading process was killed because it took far too long. A retry would take just as long."""


class ManualReviewNeeded(Exception):
    """A submission that cannot be graded automatically; a retry would not help."""


@dataclass(frozen=True)
class GradingJob:
    """A submission, the seed of its inputs, and the options of :func:`grade`, from ``only`` on."""

    submission: Submission
    seed: int
    settings: Settings = field(default_factory=Settings)
    only: Sequence[str] | None = None
    known: Sequence[str] = ()
    causes: bool = True
    others: Sequence[str] = field(default_factory=list)

    @property
    def lesson(self) -> Lesson | None:
        """The content of the submission's assignment; None for one checked by its own assertions."""
        return self.settings.lessons.find(self.submission.assignment)

    def pack(self) -> bytes:
        options = {name: getattr(self, name) for name in ("seed", "only", "known", "causes", "others")}
        options["settings"] = asdict(self.settings)
        text = json.dumps(options).encode()
        return len(text).to_bytes(8, "big") + text + self.submission.pack()


def unpack_job(data: bytes) -> GradingJob:
    """Return the job encoded by :meth:`GradingJob.pack`."""
    size = int.from_bytes(data[:8], "big")
    options = json.loads(data[8 : 8 + size])
    settings = options["settings"]
    settings |= {"limits": Limits(**settings["limits"]), "lessons": Lessons(**settings["lessons"])}
    return GradingJob(unpack(data[8 + size :]), **options | {"settings": Settings(**settings)})


class GradingWorker:
    """A grading process, seen from outside. Not thread-safe."""

    def __init__(self, module: str = "autograder.grading.run.worker"):
        self.jobs = 0
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 closed in close()
        one_thread = {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1"}  # one such process runs on each core
        self.channel = Channel(module, errors=self.errors, environment=one_thread)

    @property
    def ended(self) -> bool:
        return self.channel.process.poll() is not None

    def ask(self, data: bytes, seconds: float) -> bytes:
        """Send a packed job and return the answer. Raises WorkerCrashed if the process dies or exceeds ``seconds``."""
        self.jobs += 1
        late = threading.Timer(seconds, self.channel.process.kill)
        late.start()
        try:
            return self.channel.ask(data)
        except (OSError, EOFError):
            status = self.channel.kill()
            if not late.is_alive():
                raise JobTimeout(f"grading did not finish within {seconds:g} s") from None
            raise WorkerCrashed(
                f"the process that graded it has died: exit status {status} {self._last_line()}"
            ) from None
        finally:
            late.cancel()

    def _last_line(self) -> str:
        """Return the last line that the process wrote to standard error."""
        self.errors.seek(0)
        return " ".join(self.errors.read().decode(errors="replace").strip().splitlines()[-1:])[:300]

    def close(self) -> None:
        self.channel.kill()
        self.channel.close()
        self.errors.close()


class WorkerPool:
    """At most ``most`` grading processes, shared by any number of threads. Each job has a process to itself."""

    def __init__(self, most: int, module: str = "autograder.grading.run.worker"):
        self.module = module
        self._free = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._idle: list[GradingWorker] = []
        self._all: set[GradingWorker] = set()
        self._closed = False

    def grade(self, job: GradingJob) -> Result:
        """Grade one submission. Raises WorkerCrashed after ``TRIES`` failed attempts, and ManualReviewNeeded."""
        data, seconds, reason = job.pack(), job.settings.limits.total_wall + _BEYOND_LIMITS, ""
        with self._free:
            for _ in range(TRIES):
                with self._lend() as worker:
                    try:
                        answer = worker.ask(data, seconds)
                    except JobTimeout:
                        raise
                    except WorkerCrashed as error:
                        # The search for causes may have ended the process.
                        reason, data = (str(error), replace(job, causes=False).pack())
                        continue
                kind, reason = answer[:1], answer[1:].decode(errors="replace")
                if kind == b"+":
                    return _require_own(Result.from_json(reason), job)
                if kind == b"?":
                    raise ManualReviewNeeded(reason)
        raise WorkerCrashed(reason)

    @contextlib.contextmanager
    def _lend(self) -> Iterator[GradingWorker]:
        """Lend a live process, preferably an idle one."""
        with self._lock:
            if self._closed:
                raise WorkerCrashed("grading was stopped")
            ended = [worker for worker in self._idle if worker.ended]
            for worker in ended:
                self._idle.remove(worker)
                self._all.discard(worker)
                worker.close()
            worker = self._idle.pop() if self._idle else GradingWorker(self.module)
            self._all.add(worker)
        try:
            yield worker
        finally:
            with self._lock:
                if self._closed or worker.ended or worker.jobs >= _MOST_JOBS:
                    self._all.discard(worker)
                    worker.close()
                else:
                    self._idle.append(worker)

    def close(self) -> None:
        """Kill all processes; a thread waiting for one of them gets a WorkerCrashed."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.channel.process.kill()
            for worker in self._idle:
                worker.close()

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _require_own(result: Result, job: GradingJob) -> Result:
    """Return the result, or raise WorkerCrashed if it belongs to another job, since it must never reach a gradebook."""
    if (result.identity, result.seed, result.sealed) != (job.submission.identity, job.seed, not job.settings.trust):
        raise WorkerCrashed("what came back is the result of another submission")
    return result


def describe(error: BaseException) -> str:
    """Return an error on one line: its type, its text, and where it was raised."""
    import traceback

    frame: Any = (traceback.extract_tb(error.__traceback__) or [None])[-1]
    where = f" ({Path(frame.filename).name}:{frame.lineno})" if frame else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}{where}"
