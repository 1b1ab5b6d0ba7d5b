"""``autograder collect``: put a class's hand-ins where nbgrader expects them. Running it again changes nothing."""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from autograder.grading.console import print_table, readable, show
from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import enrolled_students
from autograder.grading.lms.archives import entries, safe
from autograder.grading.lms.formats import SheetTimes, learn
from autograder.grading.lms.platforms import PLAIN, Found, Source, recognised
from autograder.grading.roster.datetimes import as_time_stamp
from autograder.grading.roster.roster import Directory, StudentMatch, casefold_name, read_policy
from autograder.grading.run.store import write_whole
from autograder.grading.submission.read import (
    MOST_BYTES,
    MOST_FILES,
    MOST_NOTEBOOK,
    UnsafeSubmission,
    canonical_id,
    without_copy,
)

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
    """Return the student's folder: the one there is, in whatever Unicode form and capitals its name is written, or a new one."""
    submitted = course.grading / "submitted"
    wanted = canonical_id(student).casefold()
    there = [path for path in submitted.glob("*") if canonical_id(path.name).casefold() == wanted]
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


@dataclass
class Collected:
    """What a run did: students by what happened, names that fit nobody or several people, and hand-ins that are not read.

    ``around`` is the folder around everything, and ``skipped`` are links and the like. ``left_out`` names, for each student, work
    that is not collected because other work is later. ``late`` lists those that the platform calls late without saying when;
    ``timed`` counts those whose time is known, and ``untold`` has the text of each time that is not understood.
    """

    platform: str
    around: str = ""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    students: dict[str, list[str]] = field(default_factory=dict)
    unmatched: list[tuple[str, list[str]]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    untold: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    timed: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Order:
    """What to collect. ``sheet`` is the platform's own list of the class: it knows its numbers and perhaps the times.

    With ``entry_times``, the times of the files count as those of handing in. With ``force``, older work and what a teacher
    put there by hand is replaced. ``platform`` is empty where the names of the files tell it.
    """

    assignment: str
    source: Path
    sheet: Path | None = None
    entry_times: bool = False
    force: bool = False
    platform: str = ""


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
    directory = Directory(enrolled_students(course, policy))
    if not directory.students:
        raise LookupError(
            f"There is no class yet. Expected {course.grading / 'roster.csv'} with a column id, or students in the gradebook."
        )
    sheet = learn(order.sheet, directory, policy.zone) if order.sheet else SheetTimes()
    own = [order.assignment, *(path.stem for path in (course.release / order.assignment).glob("*.ipynb"))]
    skipped: list[tuple[str, str]] = []
    files = list(entries(order.source, policy.zone, skipped))
    said = Source(
        policy.zone, own, lambda name: bool(directory.candidates(StudentMatch((name,), (name,)))), order.platform
    )
    platform, around, found = recognised(files, said)
    done = Collected(platform, around, skipped)
    records = recorded(course, order.assignment)
    try:
        for student, attempts in sorted(_by_student(found, directory, done).items()):
            _one(course, order, student, _latest(student, attempts, done), sheet, records, done)
    finally:  # also when a run is interrupted
        remember(course, order.assignment, records)
    done.missing = [one for one in directory.students if not (_home(course, one) / order.assignment).exists()]
    return done


def _one(
    course: Course,
    order: Order,
    student: str,
    files: Sequence[Found],
    sheet: SheetTimes,
    records: dict[str, Record],
    done: Collected,
) -> None:
    try:
        content, record = _read(files, order, sheet.times.get(student))
    except UnsafeSubmission as error:
        done.refused.append((student, str(error)))
        return
    what = place(course, order.assignment, student, content, record, records.get(student), order.force)
    done.students.setdefault(what, []).append(student)
    done.timed += bool(record.when)
    done.late += [student] if record.late and not record.when else []
    said = next((one.said for one in files if one.said), sheet.untold.get(student, ""))
    done.untold += [(student, said)] if said and not record.when else []
    if what in (NEW, NEWER):
        records[student] = record


def _by_student(found: Sequence[Found], directory: Directory, done: Collected) -> dict[str, dict[str, list[Found]]]:
    """Return the files of each student by attempt. What several people handed in together belongs to each of them."""
    placed = directory.place((who for one in found for who in one.who), several=done.platform == PLAIN)
    students: dict[str, dict[str, list[Found]]] = {}
    unknown: dict[StudentMatch, None] = {}
    for one in found:
        for who in one.who:
            if who in placed:
                students.setdefault(placed[who].id, {}).setdefault(one.attempt, []).append(one)
            else:
                unknown[who] = None
    done.unmatched = sorted((str(who), sorted(directory.candidates(who))) for who in unknown)
    return students


def _time(one: Found) -> tuple[float, int, str]:
    when = one.when or one.entry.written
    return (when.timestamp() if when else 0.0, len(one.inside), one.inside)


def _latest(student: str, attempts: Mapping[str, Sequence[Found]], done: Collected) -> list[Found]:
    """Return the files of the latest attempt; of loose files the latest of each name, whatever copies are called."""
    ordered = sorted(attempts.items(), key=lambda item: (max(map(_time, item[1])), _numbers(item[0])))
    name, latest = ordered[-1]
    others = [(other, name) for other, _ in ordered[:-1]]
    if done.platform == PLAIN and name == "loose":
        kept: dict[str, Found] = {}
        for one in sorted(latest, key=_time):
            path = Path(one.inside)
            notebook = path.suffix.lower() == ".ipynb"
            key = ".ipynb" if notebook else casefold_name(without_copy(path.stem) + path.suffix)
            others += [(kept[key].inside, one.inside)] if key in kept else []
            kept[key] = one
        latest = list(kept.values())
    done.left_out += [(student, f"{other!r}: {taken!r} is later, or the same age") for other, taken in others]
    return list(latest)


def _numbers(text: str) -> list[int]:
    """Return the numbers in a name: platforms count attempts up."""
    return [int(number) for number in re.findall(r"\d{1,18}", text)]


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


_MOST_MISSING = 40


def tell(done: Collected, order: Order, console: Console) -> int:
    """Print what was collected, and whom nobody could place. Returns 1 if something needs a person, else 0."""
    counts = {what: len(done.students.get(what, ())) for what in (NEW, NEWER, UNCHANGED, OLDER, YOURS)}
    rows = [(name, _who(some)) for name, some in done.unmatched]
    print_table(console, "not matched: not collected", rows, ("handed in as", "who"))
    print_table(console, "neither opened nor followed: not collected", done.skipped, ("file", "why"))
    print_table(console, "left out: not collected", done.left_out, ("student", "what"))
    print_table(console, "time not understood: counts as on time", done.untold, ("student", "time of handing in"))
    print_table(console, "not read: not collected", done.refused, ("student", "why"))
    by_hand = [
        (one, "the folder was there before; with --force it is replaced") for one in done.students.get(YOURS, ())
    ]
    older = [(one, "what was collected before is newer") for one in done.students.get(OLDER, ())]
    print_table(console, "left as it was", [*by_hand, *older], ("student", "why"))
    if done.students.get(NEWER):
        show(f"newer than what was there, and in its place: {_few(done.students[NEWER])}")
    if done.around:
        show(f"taken for the folder around all hand-ins, and not for one: {readable(done.around)}")
    if done.late:
        show(f"{done.platform} marks as late, without saying by how much: {_few(done.late)}")
    total = sum(counts.values())
    if done.timed < total:
        show(
            f"The time of handing in is not known for {total - done.timed} of {total}: these count as on time. "
            "A sheet of the platform may know it (--sheet); --entry-times takes the times of the files."
        )
    if done.missing:
        show(f"nothing from: {_few(done.missing)}")
    show(
        f"collect: {order.assignment} from {done.platform}, {total} students: "
        + ", ".join(f"{number} {what}" for what, number in counts.items())
        + f"; {len(done.unmatched)} not matched, {len(done.refused)} not read"
    )
    return 1 if done.unmatched or done.refused or done.skipped or done.untold else 0


def _who(candidates: Sequence[str]) -> str:
    if not candidates:
        return "nobody in the class"
    other = ", of whom there is other work that fits as well or better" if len(candidates) == 1 else ""
    return f"could be {', '.join(candidates)}{other}"


def _few(students: list[str]) -> str:
    more = len(students) - _MOST_MISSING
    return ", ".join(map(readable, students[:_MOST_MISSING])) + (f" and {more} more" if more > 0 else "")
