"""``autograder collect``: put a class's hand-ins where nbgrader expects them. Running it again changes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.course import Course
from autograder.grading.gradebook.class_list import class_of
from autograder.grading.lms.archives import entries, safe
from autograder.grading.lms.knowing import learn
from autograder.grading.lms.placing import NEW, NEWER, Record, digest, place, recorded, remember
from autograder.grading.lms.platforms import PLAIN, Found, recognised
from autograder.grading.roster.datetimes import as_time_stamp
from autograder.grading.roster.matching import Directory, Who
from autograder.grading.roster.names import COPY, folded
from autograder.grading.roster.policy import read_policy
from autograder.grading.submission.folder import MOST_BYTES, MOST_FILES, MOST_NOTEBOOK, UnsafeSubmission


@dataclass
class Collected:
    """What a run did: students by what happened, names that fit nobody or several people, and hand-ins that are not read.

    ``late`` lists those that the platform calls late without saying when; ``timed`` counts those whose time is known.
    """

    platform: str
    students: dict[str, list[str]] = field(default_factory=dict)
    unmatched: list[tuple[str, list[str]]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    timed: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Order:
    """What to collect. ``sheet`` is the platform's own list of the class: it knows its numbers and perhaps the times.

    With ``entry_times``, the times of the files count as those of handing in. With ``force``, older work and what a teacher
    put there by hand is replaced.
    """

    assignment: str
    source: Path
    sheet: Path | None = None
    entry_times: bool = False
    force: bool = False


def collect(course: Course, order: Order) -> Collected:
    """Collect an archive or a folder, and return what was done.

    Raises LookupError, ValueError or FileNotFoundError if there is no such assignment, class, source or sheet.
    """
    if order.assignment not in course.assignments:
        known = ", ".join(course.assignments)
        raise LookupError(f"There is no assignment {order.assignment!r}. Expected one of: {known}.")
    if not order.source.exists():
        raise FileNotFoundError(f"{order.source} does not exist.")
    policy = read_policy(course)
    directory = Directory(class_of(course, policy))
    if not directory.students:
        raise LookupError(
            f"There is no class yet. Expected {course.grading / 'roster.csv'} with a column id, or students in the gradebook."
        )
    times = learn(order.sheet, directory, policy.zone) if order.sheet else {}
    own = [order.assignment, *(path.stem for path in (course.release / order.assignment).glob("*.ipynb"))]
    files = list(entries(order.source, policy.zone))
    platform, found = recognised(
        files, policy.zone, own, lambda name: bool(directory.candidates(Who((name,), (name,))))
    )
    done = Collected(platform)
    records = recorded(course, order.assignment)
    try:
        for student, attempts in sorted(_by_student(found, directory, done).items()):
            _one(course, order, student, _latest(attempts, platform), times.get(student), records, done)
    finally:  # also when a run is interrupted
        remember(course, order.assignment, records)
    submitted = course.grading / "submitted"
    done.missing = [one for one in directory.students if not (submitted / one / order.assignment).exists()]
    return done


def _one(
    course: Course,
    order: Order,
    student: str,
    files: Sequence[Found],
    said: datetime | None,
    records: dict[str, Record],
    done: Collected,
) -> None:
    try:
        content, record = _read(files, order, said)
    except UnsafeSubmission as error:
        done.refused.append((student, str(error)))
        return
    what = place(course, order.assignment, student, content, record, records.get(student), order.force)
    done.students.setdefault(what, []).append(student)
    done.timed += bool(record.when)
    done.late += [student] if record.late and not record.when else []
    if what in (NEW, NEWER):
        records[student] = record


def _by_student(found: Sequence[Found], directory: Directory, done: Collected) -> dict[str, dict[str, list[Found]]]:
    """Return the files of each student by attempt. What several people handed in together belongs to each of them."""
    students: dict[str, dict[str, list[Found]]] = {}
    unknown: dict[str, list[str]] = {}
    for one in found:
        for who in one.who:
            student = directory.find(who)
            if student is None:
                unknown.setdefault(str(who), sorted(directory.candidates(who)))
            else:
                students.setdefault(student.id, {}).setdefault(one.attempt, []).append(one)
    done.unmatched = sorted(unknown.items())
    return students


def _time(one: Found) -> tuple[float, int, str]:
    when = one.when or one.entry.written
    return (when.timestamp() if when else 0.0, len(one.inside), one.inside)


def _latest(attempts: Mapping[str, Sequence[Found]], platform: str) -> list[Found]:
    """Return the files of the latest attempt; of loose files the latest of each name, whatever copies are called."""
    latest = max(attempts.values(), key=lambda files: max(map(_time, files)))
    if platform != PLAIN or latest[0].attempt != "loose":
        return list(latest)
    kept: dict[str, Found] = {}
    for one in sorted(latest, key=_time):
        name = Path(one.inside)
        kept[folded(COPY.sub("", name.stem) + name.suffix)] = one
    notebooks = [one for one in kept.values() if one.inside.lower().endswith(".ipynb")]
    return [one for one in kept.values() if one not in notebooks[:-1]]


def _read(files: Sequence[Found], order: Order, said: datetime | None) -> tuple[dict[str, bytes], Record]:
    """Return the content of a hand-in and its record. ``said`` is the time that a sheet says."""
    content = _content(files)
    when = max((one.when for one in files if one.when), default=said)
    written = max((one.entry.written for one in files if one.entry.written), default=None)
    when = when or (written if order.entry_times else None)
    sorting = (when or written or datetime.fromtimestamp(0, UTC)).astimezone(UTC).isoformat()
    stamp = as_time_stamp(when) if when else ""
    return content, Record(order.source.name, digest(content), sorting, stamp, any(one.late for one in files))


def _content(files: Sequence[Found]) -> dict[str, bytes]:
    """Return the files by path. Raises UnsafeSubmission if they exceed the bounds of a submission."""
    content: dict[str, bytes] = {}
    room = {True: MOST_NOTEBOOK, False: MOST_BYTES}
    for one in files:
        path = safe(one.inside)
        if path == "timestamp.txt":
            continue  # only what collects the work knows when it was handed in
        kind = path.lower().endswith(".ipynb")
        content[path] = one.entry.read(room[kind])
        room[kind] -= len(content[path])
        if len(content) > MOST_FILES:
            raise UnsafeSubmission(f"there are more than {MOST_FILES} files")
    folders = {str(folder) for path in content for folder in Path(path).parents}
    if both := sorted(folders & content.keys()):
        raise UnsafeSubmission(f"{both[0]!r} is both a file and a folder")
    return content
