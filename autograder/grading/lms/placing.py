"""Put a student's collected files into their folder, whole, and remember what was put there."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.grading.course import Course
from autograder.grading.run.whole_file import write_whole
from autograder.grading.submission.hand_ins import normal

NEW, NEWER, UNCHANGED, OLDER, YOURS = "new", "newer", "unchanged", "older", "put there by hand"


@dataclass(frozen=True)
class Record:
    """What was collected for a student.

    ``order`` sorts attempts; ``when`` is the text of ``timestamp.txt``, empty where nobody knows when the work was handed
    in; ``late`` says that the platform calls it late.
    """

    source: str
    digest: str
    order: str
    when: str = ""
    late: bool = False


def digest(content: Mapping[str, bytes]) -> str:
    names = {path: hashlib.sha256(data).hexdigest() for path, data in content.items()}
    return hashlib.sha256(json.dumps(names, sort_keys=True).encode()).hexdigest()


def _file(course: Course, assignment: str) -> Path:
    return course.grading / "collected" / f"{assignment}.json"


def recorded(course: Course, assignment: str) -> dict[str, Record]:
    """Return what was collected so far, by student. Raises ValueError if the file was damaged."""
    path = _file(course, assignment)
    try:
        return {student: Record(**about) for student, about in json.loads(path.read_text(encoding="utf8")).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} cannot be read ({error}). Remove it; the next run collects everything again."
        ) from None


def remember(course: Course, assignment: str, records: Mapping[str, Record]) -> None:
    about = {student: asdict(record) for student, record in sorted(records.items())}
    write_whole(_file(course, assignment), json.dumps(about, indent=1))


def place(
    course: Course,
    assignment: str,
    student: str,
    content: Mapping[str, bytes],
    record: Record,
    known: Record | None,
    force: bool,
) -> str:
    """Write a student's files unless what is there is newer, the same, or not from here. Returns which of these it was."""
    folder = _home(course, student) / assignment
    there = folder.is_dir() and any(folder.iterdir())
    if there and not force:
        if known is None:
            return YOURS
        if (known.digest, known.when) == (record.digest, record.when):
            return UNCHANGED
        if record.order < known.order:
            return OLDER
    _replace(folder, content, record.when)
    return NEWER if there else NEW


def _home(course: Course, student: str) -> Path:
    """Return the student's folder: the one there is, in whatever Unicode form its name is written, or a new one."""
    submitted = course.grading / "submitted"
    there = [path for path in submitted.glob("*") if normal(path.name) == normal(student)]
    return there[0] if there else submitted / student


def _replace(folder: Path, content: Mapping[str, bytes], when: str) -> None:
    """Write a folder beside its place and rename it, so that no reader sees half of it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as temporary:
        fresh = Path(temporary, "new")
        fresh.mkdir()
        for path, data in content.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            (fresh / path).write_bytes(data)
        if when:
            (fresh / "timestamp.txt").write_text(f"{when}\n", encoding="utf8")
        if folder.exists():
            folder.rename(Path(temporary, "old"))
        fresh.rename(folder)
    shutil.rmtree(temporary, ignore_errors=True)
