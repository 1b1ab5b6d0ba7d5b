"""Where results lie: one file for each, named by what it is the result of, never half written, and signed."""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from pathlib import Path
from typing import Protocol

from autograder.grading.result import Result
from autograder.grading.settings import Settings
from autograder.grading.version import checks_version, environment
from autograder.grading.whole_file import write_whole

FORMAT = 2

#: The name of a file with a number that only the teacher knows. The seeds of all submissions are drawn from it, and results are
#: signed with it.
SECRET = "seed"
_LENGTH = 64


class Work(Protocol):
    """What of a submission its result is named by."""

    @property
    def assignment(self) -> str: ...

    @property
    def digest(self) -> str: ...


class Store:
    """The results under ``grading/results``, and the secret beside them."""

    def __init__(self, grading: Path):
        self.grading = grading
        self.folder = grading / "results"
        self.refused: list[str] = []  # keys of files that were there and did not count
        self._secret: bytes | None = None

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Result | None:
        """Return the result of this name, or None where there is none.

        One that is damaged or that somebody has edited counts as none, and is remembered in ``refused``.
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
        """Write a result under its name: first under another name, then renamed, so that no half result is ever seen."""
        text = result.as_json()
        write_whole(self.path(key), f"{self._sign(key, text)}\n{text}")

    def _sign(self, key: str, text: str) -> str:
        return hmac.new(self.secret(), f"result\0{key}\0{text}".encode(), hashlib.sha256).hexdigest()

    def seed_for(self, submission: Work, settings: Settings) -> int:
        """Return the seed for a submission, which nobody can foresee who does not know the secret: 64 bits.

        It depends on the submission alone, so that a change of the checks does not change their inputs.
        """
        if settings.seed is not None:
            return settings.seed
        what = f"seed\0{submission.assignment}\0{submission.digest}".encode()
        return int.from_bytes(hmac.new(self.secret(), what, hashlib.sha256).digest()[:8], "big")

    def key_and_seed(self, submission: Work, settings: Settings) -> tuple[str, int]:
        """Return the name of a submission's result, and the seed of its inputs."""
        seed = self.seed_for(submission, settings)
        parts = [FORMAT, submission.digest, seed, settings.of_result(), checks_version(settings.lessons), environment()]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(), seed

    def secret(self) -> bytes:
        """Return the secret, and make it where there is none yet. Raises ValueError for a file that is no secret."""
        if self._secret is None:
            path = self.grading / SECRET
            if not path.exists():
                _create(path, secrets.token_hex(_LENGTH // 2))
            self._secret = path.read_bytes().strip()
            if len(self._secret) < _LENGTH:
                self._secret = None
                raise ValueError(
                    f"{path} should hold a secret of {_LENGTH} characters, but is shorter. If it was damaged, restore it or "
                    "remove it; without it every submission is graded again, with other inputs."
                )
        return self._secret


def _create(path: Path, text: str) -> None:
    """Write a file that is not there yet, complete from the first moment; whoever comes second keeps the first one's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")  # readable by its owner alone
    try:
        with os.fdopen(number, "w", encoding="utf8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)
