"""Records of the submissions that ``autograder collect`` has put into ``grading/submitted/``: source, time and lateness."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.grading.course import Course
from autograder.grading.run.store import write_whole


@dataclass(frozen=True)
class Record:
    """The work collected for one student.

    ``order`` sorts attempts; ``when`` is the text of ``timestamp.txt``, empty if the time of handing in is unknown; ``late`` is
    True if the platform marks the work as late. ``uploaded_as`` is the name by which the ``platform`` knows the work.
    """

    source: str
    digest: str
    order: str
    when: str = ""
    late: bool = False
    platform: str = ""
    uploaded_as: str = ""


def digest(content: Mapping[str, bytes]) -> str:
    names = {path: hashlib.sha256(data).hexdigest() for path, data in content.items()}
    return hashlib.sha256(json.dumps(names, sort_keys=True).encode()).hexdigest()


def _path(course: Course, assignment: str) -> Path:
    return course.grading / "collected" / f"{assignment}.json"


def load_records(course: Course, assignment: str) -> dict[str, Record]:
    """Return the records of earlier runs, by student. Raises ValueError if the file is damaged."""
    path = _path(course, assignment)
    try:
        return {student: Record(**about) for student, about in json.loads(path.read_text(encoding="utf8")).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} cannot be read ({error}). Remove it; the next run collects everything again."
        ) from None


def save_records(course: Course, assignment: str, records: Mapping[str, Record]) -> None:
    about = {student: asdict(record) for student, record in sorted(records.items())}
    write_whole(_path(course, assignment), json.dumps(about, indent=1))


def marked_late(course: Course, assignment: str) -> dict[str, str]:
    """Return the students with work that a platform marks as late without a known time, each with the platform's name."""
    try:
        records = load_records(course, assignment)
    except ValueError:  # collecting says so, and grading needs none
        return {}
    stamped = {path.parent.parent.name for path in (course.grading / "submitted").glob(f"*/{assignment}/timestamp.txt")}
    return {
        student: record.platform or "the platform"
        for student, record in records.items()
        if record.late and not record.when and student not in stamped
    }
