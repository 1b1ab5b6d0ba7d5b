"""The files of an archive or of a folder: their names, and their bytes within bounds. Names in it are hostile."""

import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path, PurePosixPath

from autograder.grading.roster.datetimes import in_utc
from autograder.grading.submission.read import JUNK, LONGEST_NAME, UnsafeSubmission, mb

#: A class of a thousand, each with twenty files.
MOST_ENTRIES = 20_000


@dataclass(frozen=True)
class Entry:
    """One file: its path with ``/`` between the parts, its size in bytes, and when it was written, if that is known.

    ``read`` returns its content; it raises UnsafeSubmission if there are more bytes than it is told to take.
    """

    path: str
    size: int
    written: datetime | None
    read: Callable[[int], bytes]


def entries(source: Path, here: tzinfo) -> Iterator[Entry]:
    """Yield the files of a zip archive or a folder. ``here`` is the time zone of an archive's times.

    Raises ValueError if the source is neither, or if it holds more files than a class hands in.
    """
    if source.is_dir():
        found = _of_folder(source)
    elif zipfile.is_zipfile(source):
        found = _of_zip(source, here)
    else:
        raise ValueError(f"{source} is neither a folder nor a zip archive.")
    for number, entry in enumerate(found):
        if number >= MOST_ENTRIES:
            raise ValueError(f"{source} holds more than {MOST_ENTRIES:,} files. Collect it in parts.")
        yield entry


def _of_folder(source: Path) -> Iterator[Entry]:
    for place, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            status = path.lstat()
            inside = path.relative_to(source).as_posix()
            if stat.S_ISREG(status.st_mode) and not JUNK.search(inside):
                when = datetime.fromtimestamp(status.st_mtime).astimezone()
                yield Entry(inside, status.st_size, when, _file_reader(path))


def _of_zip(source: Path, here: tzinfo) -> Iterator[Entry]:
    archive = zipfile.ZipFile(source)  # stays open: the entries read from it
    for info in archive.infolist():
        if info.is_dir() or JUNK.search(info.filename):
            continue
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            continue  # a link, in an archive that no platform has made
        try:
            when = in_utc(datetime(*info.date_time), here)
        except (ValueError, OverflowError):
            when = None
        yield Entry(info.filename.replace("\\", "/"), info.file_size, when, _zip_reader(archive, info))


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with path.open("rb") as file:
            return _bounded(file.read(most + 1), most, path.name)

    return read


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            with archive.open(info) as file:
                return _bounded(file.read(most + 1), most, info.filename)
        except UnsafeSubmission:
            raise
        except Exception as error:  # a damaged archive makes zipfile, zlib and lzma raise many kinds of errors
            raise UnsafeSubmission(f"{info.filename!r} cannot be read from the archive ({error})") from None

    return read


def _bounded(data: bytes, most: int, name: str) -> bytes:
    if len(data) > most:
        raise UnsafeSubmission(f"{name!r} is larger than the {mb(most)} MB that are left for this hand-in")
    return data


def safe(path: str) -> str:
    """Return a path that stays inside its folder. Raises UnsafeSubmission for any other."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\0" in path or not parts.name:
        raise UnsafeSubmission(f"{path!r} leads out of its folder, and is not opened")
    if max(len(os.fsencode(part)) for part in parts.parts) > LONGEST_NAME:
        raise UnsafeSubmission(f"the name {parts.name[:40]!r}… is longer than {LONGEST_NAME} bytes")
    return parts.as_posix()
