"""The files of an archive or a folder: their names, and their content within bounds. The names are untrusted."""

import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path, PurePosixPath

from autograder.grading.roster.datetimes import in_utc, of_file
from autograder.grading.submission.read import DEEPEST, JUNK, LONGEST_NAME, UnsafeSubmission, mb, read_entry, zip_name


@dataclass(frozen=True)
class Entry:
    """One file: its path with ``/`` between the parts, its size in bytes, and its modification time, if known.

    ``read`` returns its content, and raises UnsafeSubmission if that exceeds the given number of bytes.
    """

    path: str
    size: int
    written: datetime | None
    read: Callable[[int], bytes]


LINK, NOT_A_FILE = "a symbolic link, which is not followed", "neither a file nor a folder"


def entries(source: Path, timezone: tzinfo, skipped: list[tuple[str, str]]) -> Iterator[Entry]:
    """Yield the files of a zip archive or a folder. ``timezone`` is the time zone of an archive's times.

    Anything but a regular file is added to ``skipped``, with the reason. The number of files is not limited here: one student
    with very many must not stop the class. Raises ValueError if the source is neither a zip archive nor a folder.
    """
    if source.is_dir():
        yield from _of_folder(source, skipped)
        return
    try:
        archive = zipfile.ZipFile(source)  # stays open: the entries read from it
    except Exception as error:  # of a damaged archive zipfile raises many kinds of errors
        raise ValueError(f"{source} is neither a folder nor a zip archive ({error}).") from None
    yield from _of_zip(archive, timezone, skipped)


#: Folders in each other: those of a hand-in, and those that a platform and a teacher put around it.
_DEEPEST = DEEPEST + 20


def _of_folder(source: Path, skipped: list[tuple[str, str]]) -> Iterator[Entry]:
    for place, folders, names in os.walk(source):
        inside = Path(place).relative_to(source)
        if len(inside.parts) > _DEEPEST:
            skipped.append((Path(*inside.parts[:3], "…").as_posix(), f"folders nested more than {_DEEPEST} deep"))
            folders.clear()
            continue
        folders.sort()
        for name in sorted([*names, *(folder for folder in folders if Path(place, folder).is_symlink())]):
            path = Path(place, name)
            status = path.lstat()
            name_inside = path.relative_to(source).as_posix()
            if JUNK.search(name_inside):
                continue
            if not stat.S_ISREG(status.st_mode):
                skipped.append((name_inside, LINK if stat.S_ISLNK(status.st_mode) else NOT_A_FILE))
                continue
            yield Entry(name_inside, status.st_size, of_file(status.st_mtime), _file_reader(path))


def _of_zip(archive: zipfile.ZipFile, timezone: tzinfo, skipped: list[tuple[str, str]]) -> Iterator[Entry]:
    for info in archive.infolist():
        name = zip_name(info)
        if not name:
            skipped.append(("", "a file without a name"))
            continue
        if info.is_dir() or JUNK.search(name):
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):  # in an archive that no platform has made
            skipped.append((name, LINK if kind == stat.S_IFLNK else NOT_A_FILE))
            continue
        try:
            written = in_utc(datetime(*info.date_time), timezone)
        except (ValueError, OverflowError):
            written = None
        yield Entry(name, info.file_size, written, _zip_reader(archive, info))


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with path.open("rb") as file:
            return _bounded(file.read(most + 1), most, path.name)

    return read


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            return _bounded(read_entry(archive, info, most), most, info.filename)
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
