"""Where results lie: one file for each, named by what it is the result of, and never half written."""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any

#: The name of a file with a number that only the teacher knows; the seeds of all submissions are drawn from it.
SECRET = "seed"


class Store:
    """The results under ``grading/results``. With ``seed``, every submission's inputs are drawn from that one."""

    def __init__(self, grading: Path, seed: int | None = None):
        self.grading, self.seed = grading, seed
        self.folder = grading / "results"

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the result of this name, or None where there is none. A damaged file counts as none."""
        with contextlib.suppress(OSError, ValueError):
            result = json.loads(self.path(key).read_text(encoding="utf8"))
            if isinstance(result, dict) and result.get("key") == key:
                return result
        return None

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Write a result under its name: first under another name, then renamed, so that no half result is ever seen."""
        write_whole(self.path(key), json.dumps(result | {"key": key}, ensure_ascii=False))

    def seed_for(self, what: str) -> int:
        """Return the seed for a submission, which nobody can foresee who does not know the secret."""
        if self.seed is not None:
            return self.seed
        digest = hmac.new(self._secret(), what.encode(), hashlib.sha256).digest()
        return int.from_bytes(digest[:8], "big") % 10**6

    def _secret(self) -> bytes:
        path = self.grading / SECRET
        if not path.exists():
            self.grading.mkdir(parents=True, exist_ok=True)
            text = secrets.token_hex(32)
            with contextlib.suppress(FileExistsError):
                number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(number, "w") as file:
                    file.write(text)
        return path.read_bytes()


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there completely or not at all. Raises OSError, and leaves nothing behind, on a full disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(number, "w", encoding="utf8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
