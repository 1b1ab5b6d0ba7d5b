"""What a submission's folder may hold. nbgrader follows links, waits at pipes and ends at a bad time stamp."""

import functools
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.files import MOST_BYTES
from autograder.sandbox.bubblewrap import SandboxMissing, find

#: Set to 1 to run the cells of submissions without a sandbox.
TRUST = "AUTOGRADER_TRUST_SUBMISSIONS"

MOST_FILES = 200


class UnsafeSubmission(Exception):
    """A submission that is not read at all. The message says what a person should look at."""


def inspect(folder: Path) -> list[Path]:
    """Return the files of a submission. Raises UnsafeSubmission unless all are plain files within reasonable bounds."""
    files: list[Path] = []
    total = 0
    for place, folders, names in os.walk(folder, followlinks=False):
        for name in (*folders, *names):
            path = Path(place, name)
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise UnsafeSubmission(f"{path} is a symbolic link. Links are not followed; ask for the file itself.")
            if stat.S_ISREG(status.st_mode):
                files.append(path)
                total += status.st_size
            elif not stat.S_ISDIR(status.st_mode):
                raise UnsafeSubmission(f"{path} is neither a file nor a folder, and is not opened.")
    if len(files) > MOST_FILES or total > MOST_BYTES:
        raise UnsafeSubmission(
            f"{folder} holds {len(files)} files with {total / 2**20:.0f} MB. Expected at most {MOST_FILES} files with "
            f"{MOST_BYTES // 2**20} MB in all."
        )
    return files


def extra_files(folder: Path) -> dict[str, bytes]:
    """Return the files that came with the notebook, by their path in the folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in inspect(folder)
        if path.suffix != ".ipynb" and path.name != "timestamp.txt"
    }


def trusting() -> bool:
    """Whether the teacher has asked to run submissions without a sandbox."""
    return os.environ.get(TRUST, "") == "1"


def _require_sandbox() -> None:
    """End nbgrader's run, with a message, where there is no sandbox and submissions are not trusted."""
    try:
        if not trusting():
            find()
    except SandboxMissing as error:
        raise SystemExit(f"nbgrader: {error}") from None


def install() -> None:
    """Make nbgrader look before it reads. It offers no setting for this, so two of its methods are wrapped."""
    from nbgrader.converters import Autograde
    from nbgrader.coursedir import CourseDirectory

    if not hasattr(Autograde.init_assignment, "__wrapped__"):
        Autograde.init_assignment = _looking_first(Autograde.init_assignment)
        CourseDirectory.get_existing_timestamp = _forgiving(CourseDirectory.get_existing_timestamp)


def _looking_first(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def init_assignment(self: Any, assignment_id: str, student_id: str) -> None:
        _require_sandbox()
        inspect(Path(self.coursedir.format_path(self.coursedir.submitted_directory, student_id, assignment_id)))
        original(self, assignment_id, student_id)

    return init_assignment


def _forgiving(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def get_existing_timestamp(self: Any, dest_path: str) -> Any:
        path = Path(dest_path, "timestamp.txt")
        if (
            path.is_symlink()
            or (path.exists() and not path.is_file())
            or (path.is_file() and path.stat().st_size > 200)
        ):
            self.log.warning("Not a time stamp, and ignored: %s", path)
            return None
        try:
            return original(self, dest_path)
        except (SystemExit, Exception) as error:  # nbgrader ends the whole run at a time stamp that it cannot read
            self.log.warning("A time stamp that cannot be read is ignored: %s (%s)", path, error)
            return None

    return get_existing_timestamp
