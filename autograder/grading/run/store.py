"""The store of results: one signed file each, named by everything the result depends on, written atomically."""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.grading.run.result import Result, checks_version, environment
from autograder.grading.settings import Settings
from autograder.grading.submission.model import Submission
from autograder.runtime.seeds import BITS


@contextlib.contextmanager
def _temporary_file(path: Path, text: str) -> Iterator[str]:
    """Write a text to a file beside ``path`` with access for its owner only; yield its path, and remove it afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(number, "w", encoding="utf8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        with contextlib.suppress(OSError):  # it may have been renamed
            os.unlink(name)


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically. Raises OSError, without leaving a partial file, if for example the disk is full."""
    with _temporary_file(path, text) as name:
        os.replace(name, path)


FORMAT = 2

#: The name of a file with a number that only the teacher knows. It determines the seeds of all submissions and signs
#: the results.
SECRET = "seed"
_LENGTH = 64


class Store:
    """The results under ``grading/results``, and the secret beside them."""

    def __init__(self, grading: Path):
        self.grading = grading
        self.folder = grading / "results"
        self.refused: list[str] = []  # keys of files that exist but were rejected
        self._secret: bytes | None = None

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Result | None:
        """Return the result with this key, or None if there is none.

        A damaged or edited file counts as missing, and is recorded in ``refused``.
        """
        try:
            signature, _, text = self.path(key).read_text(encoding="utf8").partition("\n")
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            signature, text = "", ""
        if hmac.compare_digest(signature.encode(), self._sign(key, text).encode()):
            with contextlib.suppress(ValueError):  # of an older format
                return Result.from_json(text)
        self.refused.append(key)
        return None

    def put(self, key: str, result: Result) -> None:
        """Store a result under its key: written to a temporary file, then renamed, so that no reader sees a partial result."""
        text = result.as_json()
        write_whole(self.path(key), f"{self._sign(key, text)}\n{text}")

    def _sign(self, key: str, text: str) -> str:
        return hmac.new(self.secret(), f"result\0{key}\0{text}".encode(), hashlib.sha256).hexdigest()

    def seed_for(self, submission: Submission, settings: Settings) -> int:
        """Return the 64-bit seed of a submission, unpredictable without the secret.

        It depends only on the submission and the secret, so that changed checks get the same inputs.
        """
        if settings.seed is not None:
            return settings.seed
        message = f"seed\0{submission.assignment}\0{submission.digest}".encode()
        return int.from_bytes(hmac.new(self.secret(), message, hashlib.sha256).digest()[: BITS // 8], "big")

    def key_and_seed(self, submission: Submission, settings: Settings) -> tuple[str, int]:
        """Return the key of a submission's result, and the seed of its inputs."""
        seed = self.seed_for(submission, settings)
        parts = [
            FORMAT,
            submission.identity,
            seed,
            settings.of_result(),
            checks_version(settings.lessons),
            environment(),
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(), seed

    def secret(self) -> bytes:
        """Return the secret, and create it if there is none yet. Raises ValueError if the file is invalid."""
        if self._secret is None:
            path = self.grading / SECRET
            if not path.exists():
                _create(path, secrets.token_hex(_LENGTH // 2))
            self._secret = path.read_bytes().strip()
            if len(self._secret) < _LENGTH:
                self._secret = None
                raise ValueError(
                    f"{path} should hold a secret of {_LENGTH} characters, but is shorter. If it was damaged, restore it or "
                    "remove it; without it every submission is graded again, with different inputs."
                )
        return self._secret


def _create(path: Path, text: str) -> None:
    """Create a complete file in one step; if two processes race, the first one's file stays."""
    with _temporary_file(path, text) as name, contextlib.suppress(FileExistsError):
        os.link(name, path)
