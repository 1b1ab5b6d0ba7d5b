"""The files handed in with a notebook."""

from collections.abc import Callable
from pathlib import Path

#: The limit for all files together.
MOST_BYTES = 50 * 2**20


def files_in(folder: str | Path) -> Callable[[str], bytes | None]:
    """Return a function that reads a file of a folder; None if it is missing, not a regular file, or over MOST_BYTES."""

    def read(name: str) -> bytes | None:
        path = Path(folder, name)
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MOST_BYTES else None

    return read
