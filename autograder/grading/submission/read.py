"""Find and read submission folders, once and within bounds.

nbgrader follows links, blocks on pipes and treats every notebook as a different one; students hand in archives, nested folders,
and files renamed by a browser.
"""

import contextlib
import io
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class HandIn:
    """The location of a student's work, perhaps in the folder of another member of the group.

    ``problem`` is the reason why it cannot be read, ``note`` a message for a person, and ``by`` that other member.
    """

    student: str
    folder: Path
    problem: str = ""
    note: str = ""
    by: str = ""

    @property
    def author(self) -> str:
        """The id of the folder's owner, for whom the notebook's individual numbers were drawn."""
        return self.by or self.student


def hand_ins(submitted: Path, assignment: str, roster: Sequence[str]) -> list[HandIn]:
    """Return the hand-ins of an assignment, one per student, sorted by student.

    A student's id is the folder's name. Ids that differ only in their Unicode normal form (NFC or NFD) are the same; so are ids
    that differ from one in the ``roster`` only in capitals, and they get the roster's spelling.
    """
    as_in_roster = spelling(roster)
    places_of: dict[str, list[Path]] = {}
    for place in sorted(submitted.glob("*")):
        if not place.name.startswith("."):
            places_of.setdefault(as_in_roster(os.fsencode(place.name).decode("utf8", "replace")), []).append(place)
    every = []
    for student, places in places_of.items():
        try:
            every += _hand_in(student, places, assignment)
        except OSError as error:
            every.append(HandIn(student, places[0], f"its folder cannot be opened ({error.strerror})"))
    return sorted(every, key=lambda hand_in: hand_in.student)


def _hand_in(student: str, places: Sequence[Path], assignment: str) -> list[HandIn]:
    """Return the hand-in in a student's folders; empty if it has nothing for this assignment."""
    folders = [place / assignment for place in places if place.is_dir() and _is_there(place / assignment)]
    if len(folders) > 1:
        names = " and ".join(repr(folder.parent.name) for folder in folders)
        return [HandIn(student, folders[0], f"there are two folders of this student, {names}: keep one")]
    if folders and "\N{REPLACEMENT CHARACTER}" in student:
        return [HandIn(student, folders[0], "the name of the student's folder is not UTF-8: rename the folder")]
    if folders:
        return [HandIn(student, folders[0])]
    for place in places:
        inside = list(place.iterdir()) if place.is_dir() else [place]
        if similar := [path for path in inside if _loosely(path.name) == _loosely(assignment)]:
            message = f"the folder is called {similar[0].name!r}: rename it to {assignment!r}"
            return [HandIn(student, similar[0], message)]
        if loose := [path for path in inside if path.suffix.lower() in (".ipynb", ".zip") and path.is_file()]:
            message = f"{loose[0].name!r} lies where a folder {student}/{assignment} was expected: move it there"
            return [HandIn(student, place, message)]
    return []


def _is_there(path: Path) -> bool:
    """Return whether the path exists, including as a broken link."""
    return path.is_symlink() or path.exists()


def canonical_id(student: str) -> str:
    """Return a student's id in the Unicode normal form used for comparisons."""
    return unicodedata.normalize("NFC", student)


def spelling(roster: Iterable[str]) -> Callable[[str], str]:
    """Return a function that replaces an id by the roster's spelling of it, regardless of case and Unicode normal form."""
    ids = list(roster)
    by_id = {canonical_id(student).casefold(): student for student in ids}
    by_id |= {canonical_id(student): student for student in ids}

    def as_in_roster(student: str) -> str:
        key = canonical_id(student)
        return by_id.get(key) or by_id.get(key.casefold(), key)

    return as_in_roster


def _loosely(text: str) -> str:
    return "".join(letter for letter in canonical_id(text).casefold() if letter.isalnum())


MOST_FILES = 200
#: Limit for notebooks, mostly outputs that are discarded; and for all other files together.
MOST_NOTEBOOK, MOST_BYTES = 100 * 2**20, 50 * 2**20
LONGEST_NAME, DEEPEST = 150, 50  # bytes; folders in each other, where Python's own functions give up at some hundreds
_MOST_ENTRIES, _MOST_NOTEBOOKS = 2_000, 10

#: Files that systems and tools leave in folders and archives.
JUNK = re.compile(
    r"(^|/)(\.ipynb_checkpoints|\.autograder|__MACOSX|__pycache__|\.git|\.vscode|\.idea)/|(^|/)(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$"
)
_WEIGHTS = (".safetensors", ".pt", ".pth", ".ckpt", ".bin", ".npz", ".pkl")
#: Matches the suffix that a browser, Jupyter or a file manager adds to the name of a second download or a copy.
_COPY = re.compile(
    r"^(copy of|kopie von|copie de|copia (de|di)) |( ?\(\d+\)|[-_ ]+(copy|kopie)[-_ ]*(\d+|\(\d+\))?)$", re.IGNORECASE
)
_NUMBERED = re.compile(r"[-_ ]\d+$")  # as Canvas numbers attempts


class UnsafeSubmission(ValueError):
    """A submission that must not be read. The message is for a person."""


@dataclass
class SubmissionFiles:
    """The files of a submission by path; ``notebooks`` are the candidates for its notebook."""

    notebooks: dict[str, bytes]
    files: dict[str, bytes]


def inspect(folder: Path) -> dict[str, Path]:
    """Return the files of a submission by their paths in its folder.

    Raises UnsafeSubmission unless all are regular files within bounds: a link or a pipe is not opened.
    """
    files: dict[str, Path] = {}
    total = {True: 0, False: 0}  # bytes of notebooks, and of all other files
    for place, folders, names in os.walk(folder, onerror=_raise, followlinks=False):
        if len(Path(place).parts) - len(folder.parts) > DEEPEST:
            raise UnsafeSubmission(f"The folders are nested more than {DEEPEST} deep. Ask for the notebook itself.")
        for name in (*folders, *names):
            path = Path(place, name)
            status = path.lstat()
            inside = os.fsencode(path.relative_to(folder).as_posix()).decode("utf8", "replace")
            if stat.S_ISLNK(status.st_mode):
                raise UnsafeSubmission(
                    f"{inside!r} is a symbolic link. Links are not followed; ask for the file itself."
                )
            if stat.S_ISDIR(status.st_mode) or JUNK.search(inside):
                continue
            if not stat.S_ISREG(status.st_mode):
                raise UnsafeSubmission(f"{inside!r} is neither a file nor a folder, and is not opened.")
            if len(os.fsencode(name)) > LONGEST_NAME:
                raise UnsafeSubmission(f"The name {name[:40]!r}… is longer than {LONGEST_NAME} bytes. Rename the file.")
            if inside in files:
                raise UnsafeSubmission(
                    f"There are two files {inside!r}, because their names are not UTF-8. Rename them."
                )
            total[inside.lower().endswith(".ipynb")] += status.st_size
            files[inside] = path
    if len(files) > MOST_FILES or total[False] > MOST_BYTES or total[True] > MOST_NOTEBOOK:
        raise UnsafeSubmission(
            f"The folder holds {len(files)} files, with {mb(total[True])} MB of notebooks and {mb(total[False])} MB of others. "
            f"Expected at most {MOST_FILES} files, with {mb(MOST_NOTEBOOK)} MB and {mb(MOST_BYTES)} MB."
        )
    return files


def _raise(error: OSError) -> None:
    raise error


def mb(size: int) -> str:
    return f"{size / 2**20:.0f}"


def read(folder: Path) -> SubmissionFiles:
    """Read all files of a submission's folder, including those in its only archive if there is no notebook beside it.

    Raises UnsafeSubmission for files that must not be opened, and OSError for unreadable ones.
    """
    files = {name: path.read_bytes() for name, path in inspect(folder).items() if name != "timestamp.txt"}
    for _ in range(2):  # somebody has zipped what hand_in makes once more
        archives = [name for name in files if name.lower().endswith(".zip")]
        if len(archives) == 1 and not _notebooks(files):
            files |= _unzip(archives[0], files.pop(archives[0]))
    notebooks = _notebooks(files)
    if len(notebooks) > _MOST_NOTEBOOKS:
        raise UnsafeSubmission(f"There are {len(notebooks)} notebooks. Expected one; which one counts?")
    return SubmissionFiles(notebooks, {name: data for name, data in files.items() if name not in notebooks})


def _notebooks(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the notebooks among the files; if none has the right suffix, those with cells, such as ``attention.ipynb.txt``."""
    named = {name: data for name, data in files.items() if name.lower().endswith(".ipynb")}
    return named or {
        name: data
        for name, data in files.items()
        if data[:3].lstrip(b"\xef\xbb\xbf")[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data
    }


def zip_name(entry: zipfile.ZipInfo) -> str:
    """Return the path of an entry with ``/`` between the parts. macOS writes UTF-8 without the flag for it."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf8")
    return name.replace("\\", "/")


#: The allowed compression methods, which all systems use. A single read of bzip2 or LZMA, which zipfile does not limit, can fill
#: gigabytes.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_OTHER_METHODS = {9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd"}


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return an entry's bytes, at most one more than ``most``. Raises UnsafeSubmission for an unusual compression."""
    if entry.compress_type not in _METHODS:
        kind = _OTHER_METHODS.get(entry.compress_type, f"method {entry.compress_type}")
        raise UnsafeSubmission(
            f"{entry.filename!r} is compressed with {kind}, and is not opened. "
            "Expected the usual method of a zip archive, deflate. Unpack it, or ask for the notebook itself."
        )
    with archive.open(entry) as file:
        return file.read(most + 1)


def _unzip(name: str, data: bytes) -> dict[str, bytes]:
    """Return the files of an archive. Fails if it exceeds the limits of a submission or contains anything but regular files."""
    files: dict[str, bytes] = {}
    space = {True: MOST_NOTEBOOK, False: MOST_BYTES}  # for notebooks, and for all other files
    try:
        if data.count(b"PK\x01\x02") > _MOST_ENTRIES:  # zipfile makes objects of all that the table of contents names
            raise UnsafeSubmission(f"The archive {name!r} holds more than {_MOST_ENTRIES} entries.")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
            for entry in entries:
                if JUNK.search(zip_name(entry)):
                    continue
                path = _path_in(name, entry, files)
                is_notebook = path.lower().endswith(".ipynb")
                files[path] = read_entry(archive, entry, space[is_notebook])
                space[is_notebook] -= len(files[path])
                if min(space.values()) < 0 or len(files) > MOST_FILES:
                    raise UnsafeSubmission(
                        f"The archive {name!r} holds more than {MOST_FILES} files, {mb(MOST_NOTEBOOK)} MB of notebooks or "
                        f"{mb(MOST_BYTES)} MB of others."
                    )
    except UnsafeSubmission:
        raise
    except Exception as error:  # a damaged archive makes zipfile, zlib and lzma raise many kinds of errors
        raise UnsafeSubmission(
            f"The archive {name!r} cannot be opened ({error}). Ask for the notebook itself."
        ) from None
    return files


def _path_in(name: str, entry: zipfile.ZipInfo, files: Mapping[str, bytes]) -> str:
    """Return the path of an archive's entry, if the entry can be read."""
    path = PurePosixPath(zip_name(entry))
    unsafe = path.is_absolute() or ".." in path.parts or not path.name or len(path.parts) > DEEPEST
    if unsafe or path.as_posix() in files or stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        raise UnsafeSubmission(f"The archive {name!r} holds {entry.filename!r}, which is not opened.")
    if max(len(os.fsencode(part)) for part in path.parts) > LONGEST_NAME:
        raise UnsafeSubmission(f"The archive {name!r} holds a name of more than {LONGEST_NAME} bytes.")
    return path.as_posix()


def beside(notebook: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files by their paths relative to the notebook's folder, the working directory of its code."""
    home = PurePosixPath(notebook).parent
    relative = {
        name: str(PurePosixPath(name).relative_to(home)) for name in files if PurePosixPath(name).is_relative_to(home)
    }
    rest = {name: data for name, data in files.items() if name not in relative}
    files_by_path = rest | {path: files[name] for name, path in relative.items()}
    folders = {str(folder) for name in files_by_path for folder in PurePosixPath(name).parents}
    if both := sorted(folders & files_by_path.keys()):
        raise UnsafeSubmission(
            f"{both[0]!r} is both a file and a folder. Ask for the notebook and its files themselves."
        )
    return files_by_path


def with_expected_names(files: Mapping[str, bytes], expected: Sequence[str]) -> tuple[dict[str, bytes], list[str]]:
    """Return the files, with renamed downloads under their ``expected`` names, and notes on missing files."""
    result, notes = dict(files), []
    for name in expected:
        if name in result:
            continue
        similar = [path for path in result if original_name(path).lower() == name.lower() and path not in expected]
        if len(similar) == 1:
            result[name] = result.pop(similar[0])
            notes.append(f"{similar[0]} was used as {name}")
        else:
            others = f"; there are {' and '.join(map(repr, similar))}" if similar else ""
            notes.append(f"{name} was not handed in{others}")
    unread = [name for name in result if name.lower().endswith((*_WEIGHTS, ".zip")) and name not in expected]
    if unread:
        notes.append(f"ignored: {', '.join(sorted(unread)[:5])}")
    return result, notes


def original_name(path: str) -> str:
    """Return the name of a file before a browser or a file manager renamed it as a copy."""
    name = PurePosixPath(path)
    return _NUMBERED.sub("", without_copy(name.stem)) + name.suffix


def without_copy(name: str) -> str:
    """Return a file's stem without additions such as "copy of" or "(1)"."""
    shorter = _COPY.sub("", name)
    return shorter if shorter in ("", name) else without_copy(shorter)
