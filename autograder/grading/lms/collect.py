"""``autograder collect``: put a class's hand-ins where nbgrader expects them. Running it again changes nothing."""

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath

from rich.console import Console

from autograder.grading.console import print_table, readable, show
from autograder.grading.course import Course
from autograder.grading.gradebook.collected import Record, digest, load_records, save_records
from autograder.grading.gradebook.enrolment import enrolled_students
from autograder.grading.gradebook.regrade_requests import ask, requests
from autograder.grading.gradebook.status import load_class_status
from autograder.grading.lms.archives import entries, safe
from autograder.grading.lms.platforms import (
    CANVAS,
    MOODLE,
    OPENOLAT,
    PLAIN,
    SAKAI,
    Source,
    SubmittedFile,
    in_folder_of_source,
    is_list,
    recognise_files,
    uploaded_name,
)
from autograder.grading.lms.sheets import SheetTimes, learn_aliases
from autograder.grading.roster.datetimes import as_time_stamp
from autograder.grading.roster.roster import Directory, StudentMatch, read_policy
from autograder.grading.student.request_form import Form, is_form, read_form
from autograder.grading.submission.read import (
    MOST_BYTES,
    MOST_FILES,
    MOST_NOTEBOOK,
    UnsafeSubmission,
    canonical_id,
    without_copy,
)
from course_lib.variants import casefold_name

#: Maximum of requests read from one student at once.
_MOST_REQUESTS = 10

#: The name of Canvas's test student in its archives.
_CANVAS_TEST_STUDENT = "studenttest"

NEW, NEWER, UNCHANGED, OLDER, YOURS = "new", "newer", "unchanged", "older", "put there by hand"


def place(
    course: Course,
    assignment: str,
    student: str,
    content: Mapping[str, bytes],
    record: Record,
    earlier: Record | None,
    force: bool,
) -> str:
    """Write a student's files, unless those already there are newer, identical or put there by hand; return the outcome.

    Of identical files only the time may be news: a run with a sheet, after one without, writes ``timestamp.txt`` alone.
    """
    folder = _student_folder(course, student) / assignment
    exists = folder.is_dir() and any(folder.iterdir())
    if exists and not force:
        if earlier is None:
            return YOURS
        if earlier.digest == record.digest and (earlier.when in ("", record.when) or not record.when):
            stamp = folder / "timestamp.txt"
            if record.when and not earlier.when and not stamp.exists():  # else a teacher has written it
                _write_time(stamp, record.when)
            return UNCHANGED
        if record.order < earlier.order:
            return OLDER
    _replace(folder, content, record.when)
    return NEWER if exists else NEW


def _student_folder(course: Course, student: str) -> Path:
    """Return the student's folder: an existing one, whatever its Unicode form and capitals, or else a new one."""
    submitted = course.grading / "submitted"
    key = canonical_id(student).casefold()
    existing = [path for path in submitted.glob("*") if canonical_id(path.name).casefold() == key]
    return existing[0] if existing else submitted / student


def _replace(folder: Path, content: Mapping[str, bytes], when: str) -> None:
    """Write a folder under a temporary name and rename it, so that no reader sees half of it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as temporary:
        new = Path(temporary, "new")
        new.mkdir()
        for path, data in content.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_bytes(data)
        if when:
            _write_time(new / "timestamp.txt", when)
        if folder.exists():
            folder.rename(Path(temporary, "old"))
        new.rename(folder)
    shutil.rmtree(temporary, ignore_errors=True)


def _write_time(path: Path, when: str) -> None:
    path.write_text(f"{when}\n", encoding="utf8")


@dataclass
class CollectResult:
    """The result of a run.

    ``students`` are listed by outcome, such as NEW; ``unmatched`` are names that fit nobody or several people, with the paths
    ``unmatched_files``, and ``similar_ids`` are students with an id that differs from such a name only in leading zeros.
    ``hold_students`` are unmatched folders that contain folders with students' names. ``refused`` are hand-ins that were not
    read; ``skipped`` are links and the like; ``superseded`` is work replaced by a later version from the same student.
    ``outer_folder`` is the folder around everything; ``named_by_source`` is the archive's own name, if only that identifies
    the student of its one hand-in. ``late`` lists students with work that the platform marks as late without a time;
    ``with_time`` counts those with a time; ``timed`` are those whose files were there and whose time is new;
    ``unparsed_times`` are times that could not be parsed. ``requests`` are regrade requests, no part of the work.
    ``only_in_sheet`` are students with a submission time in the sheet and no files here. ``of_test_student`` are the files of
    Canvas's own test student, and ``lists`` are files beside the students' folders that cannot be work, such as a list of
    grades. ``anonymous`` is an id, if the platform hides the names. ``of_groups`` lists the members of each group that handed
    in together; ``working_files`` are in Teams but not handed in, and ``other_assignments`` are titles from which nothing was
    collected.
    """

    platform: str
    outer_folder: str = ""
    named_by_source: str = ""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    students: dict[str, list[str]] = field(default_factory=dict)
    unmatched: list[tuple[str, list[str]]] = field(default_factory=list)
    unmatched_files: dict[str, list[str]] = field(default_factory=dict)
    similar_ids: dict[str, list[str]] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)
    superseded: list[tuple[str, str]] = field(default_factory=list)
    unparsed_times: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    with_time: int = 0
    timed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    only_in_sheet: list[str] = field(default_factory=list)
    of_test_student: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    hold_students: list[str] = field(default_factory=list)
    anonymous: str = ""
    of_groups: dict[str, list[str]] = field(default_factory=dict)
    working_files: list[str] = field(default_factory=list)
    other_assignments: list[str] = field(default_factory=list)
    requests: list[tuple[str, Form]] = field(default_factory=list)
    refused_requests: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class CollectOptions:
    """The options of the command. ``sheet`` is the platform's own list of the class, with its ids and perhaps the times.

    With ``entry_times``, the modification times of the files count as submission times. ``force`` also replaces newer work and
    work put there by hand. Without a ``platform``, the names of the files decide.
    """

    assignment: str
    source: Path
    sheet: Path | None = None
    entry_times: bool = False
    force: bool = False
    platform: str = ""


def collect(course: Course, options: CollectOptions) -> CollectResult:
    """Collect an archive or a folder, and return the result.

    Raises LookupError, ValueError or FileNotFoundError if the assignment, class, source or sheet does not exist or is invalid.
    """
    course.require(options.assignment)
    if not options.source.exists():
        raise FileNotFoundError(f"{options.source} does not exist.")
    policy = read_policy(course)
    directory = Directory(enrolled_students(course, policy))
    if not directory.students:
        raise LookupError(
            f"There is no class yet. Expected {course.grading / 'roster.csv'} with a column id, or students in the gradebook."
        )
    sheet = learn_aliases(options.sheet, directory, policy.zone) if options.sheet else SheetTimes()
    submitted, result = _recognise(course, options, directory, policy.zone, sheet)
    records = load_records(course, options.assignment)
    try:
        for student, attempts in sorted(_by_student(submitted, directory, result).items()):
            _read_requests(options.assignment, student, attempts, result)
            if work := _without_requests(attempts):
                latest = _latest_attempt(student, work, result)
                _collect_student(course, options, student, latest, sheet, records, result)
    finally:  # also when a run is interrupted
        save_records(course, options.assignment, records)
    _note_requests(course, options.assignment, result)
    collected = {student for students in result.students.values() for student in students}
    present = collected | {student for student, _ in result.refused}
    result.only_in_sheet = sorted((sheet.times.keys() | sheet.unparsed.keys()) - present)
    result.missing = [
        member.id
        for member in directory.students.values()
        if not member.is_excused(options.assignment)
        and not (_student_folder(course, member.id) / options.assignment).exists()
    ]
    return result


def _recognise(
    course: Course, options: CollectOptions, directory: Directory, zone: tzinfo, sheet: SheetTimes
) -> tuple[list[SubmittedFile], CollectResult]:
    """Return the submitted files, and a result with the students and the omitted files found so far."""
    own_names = [options.assignment, *(path.stem for path in (course.release / options.assignment).glob("*.ipynb"))]
    skipped: list[tuple[str, str]] = []
    files = list(entries(options.source, zone, skipped))
    if not files:
        raise ValueError(f"{options.source} holds no file that was handed in.")
    source = Source(
        zone,
        own_names,
        lambda name: bool(directory.candidates(StudentMatch((name,), (name,)))),
        options.platform,
        lambda name, login: (
            len(directory.candidates(StudentMatch((login,))) & directory.candidates(StudentMatch((), (name,)))) == 1
        ),
        lambda name: bool(directory.group_members(name)),
        sheet.names,
    )
    own_name = options.source.resolve().name
    own_name = own_name if options.source.is_dir() else Path(own_name).stem
    in_own_folder = in_folder_of_source(files, source, own_name)
    recognised = recognise_files(in_own_folder or files, source)
    return recognised.files, CollectResult(
        recognised.platform,
        recognised.outer_folder,
        own_name if in_own_folder else "",
        skipped,
        working_files=recognised.working_files,
        other_assignments=recognised.other_assignments,
    )


def _collect_student(
    course: Course,
    options: CollectOptions,
    student: str,
    files: Sequence[SubmittedFile],
    sheet: SheetTimes,
    records: dict[str, Record],
    result: CollectResult,
) -> None:
    try:
        content, record = _read_hand_in(files, options, sheet.times.get(student), result.platform)
    except UnsafeSubmission as error:
        result.refused.append((student, str(error)))
        return
    earlier = records.get(student)
    outcome = place(course, options.assignment, student, content, record, earlier, options.force)
    result.students.setdefault(outcome, []).append(student)
    if outcome == UNCHANGED and earlier is not None:
        if record.when and not earlier.when:
            result.timed.append(student)
            records[student] = replace(earlier, order=record.order, when=record.when)
        elif earlier.when:  # by an earlier run with a sheet, which this one lacks
            record = replace(record, when=earlier.when)
    result.with_time += bool(record.when)
    result.late += [student] if record.late and not record.when else []
    text = next((file.unparsed_time for file in files if file.unparsed_time), sheet.unparsed.get(student, ""))
    result.unparsed_times += [(student, text)] if text and not record.when else []
    if outcome in (NEW, NEWER):
        records[student] = record
    elif outcome == UNCHANGED and record.uploaded_as:  # of an earlier version, or from another of its archives
        records[student] = replace(records[student], platform=record.platform, uploaded_as=record.uploaded_as)


def _without_requests(attempts: Mapping[str, Sequence[SubmittedFile]]) -> dict[str, list[SubmittedFile]]:
    """Return the attempts at the work itself: a request handed in alone does not replace an attempt."""
    work = {name: [file for file in files if not is_form(file.inside)] for name, files in attempts.items()}
    return {name: files for name, files in work.items() if files}


def _read_requests(
    assignment: str, student: str, attempts: Mapping[str, Sequence[SubmittedFile]], result: CollectResult
) -> None:
    forms = [file for files in attempts.values() for file in files if is_form(file.inside)]
    for file in forms[:_MOST_REQUESTS]:
        try:
            result.requests.append((student, read_form(file.entry.read(MOST_BYTES), assignment)))
        except ValueError as error:
            result.refused_requests.append((student, str(error)))


def _note_requests(course: Course, assignment: str, result: CollectResult) -> None:
    """Add the requests to those that wait for an answer, each once even if it is collected repeatedly."""
    if not result.requests:
        return
    try:
        status = {
            grade_status.student.id: grade_status for grade_status in load_class_status(course, assignment).students
        }
    except LookupError:  # nothing has been graded yet
        status = {}
    earlier_requests = requests(course, assignment)
    for student, form in result.requests:
        grade = status.get(student)
        titles = {part.title for part in grade.parts} if grade else set()
        exercise = form.exercise if form.exercise in titles else ""
        reason = form.reason if exercise or not form.exercise else f"{form.exercise}: {form.reason}"
        if (exercise, reason) in {(request.exercise, request.reason) for request in earlier_requests.get(student, ())}:
            continue
        try:
            ask(course, assignment, student, reason, exercise, grade.so_far if grade else None)
        except ValueError as error:
            result.refused_requests.append((student, str(error)))


def _by_student(
    submitted: Sequence[SubmittedFile], directory: Directory, result: CollectResult
) -> dict[str, dict[str, list[SubmittedFile]]]:
    """Return the files of each student by attempt. Work that several people handed in together belongs to each of them."""
    student_of = directory.place(
        (submitter for file in submitted for submitter in file.submitters), several=result.platform == PLAIN
    )
    students: dict[str, dict[str, list[SubmittedFile]]] = {}
    unknown: dict[StudentMatch, list[str]] = {}
    holding = _holders_of_students(submitted, directory)
    several = _holders_of_several(submitted, directory) if result.platform == PLAIN else set[StudentMatch]()
    for file in submitted:
        for submitter in file.submitters:
            group = "" if submitter in holding or submitter in several else _group_of(submitter, directory)
            if group:
                result.of_groups[group] = directory.group_members(group)
                for student in result.of_groups[group]:
                    together = replace(file, of_group=group)
                    students.setdefault(student, {}).setdefault(file.attempt, []).append(together)
            elif submitter in student_of:
                students.setdefault(student_of[submitter].id, {}).setdefault(file.attempt, []).append(file)
            else:
                unknown.setdefault(submitter, []).append(file.entry.path)
                result.anonymous = result.anonymous or (submitter.ids[0] if file.anonymous and submitter.ids else "")
    for submitter in list(unknown) if result.platform == CANVAS else ():
        if _CANVAS_TEST_STUDENT in submitter.names and not directory.candidates(submitter):
            result.of_test_student += unknown.pop(submitter)
    in_folders = any(
        "/" in file.entry.path for attempts in students.values() for files in attempts.values() for file in files
    )
    if in_folders or result.platform in (SAKAI, OPENOLAT):
        for submitter, paths in list(unknown.items()):
            if not directory.candidates(submitter) and all(is_list(path) for path in paths):
                result.lists += unknown.pop(submitter)
    result.unmatched = sorted((str(submitter), sorted(directory.candidates(submitter))) for submitter in unknown)
    result.unmatched_files = {str(submitter): paths for submitter, paths in unknown.items()}
    result.hold_students = [str(submitter) for submitter in unknown if submitter in holding]
    numbers = {student: student.lstrip("0") for student in directory.students if student.isdigit()}
    for submitter in unknown:
        bare = {text.lstrip("0") for text in (*submitter.ids, *submitter.names) if text.isdigit()}
        result.similar_ids[str(submitter)] = sorted(student for student, number in numbers.items() if number in bare)
    return students


def _holders_of_students(submitted: Sequence[SubmittedFile], directory: Directory) -> set[StudentMatch]:
    """Return the owners of folders that contain folders with students' names: a tutorial, or one person who used such a name."""
    below: dict[StudentMatch, set[str]] = {}
    for file in submitted:
        if file.entry.path.count("/") > 1:
            for submitter in file.submitters:
                below.setdefault(submitter, set()).add(file.entry.path.split("/")[1])
    return {
        submitter
        for submitter, names in below.items()
        if any(directory.candidates(StudentMatch((name,), (name,))) for name in names)
    }


def _holders_of_several(submitted: Sequence[SubmittedFile], directory: Directory) -> set[StudentMatch]:
    """Return the owners of folders that are not one hand-in with a single notebook on top, named after nobody."""
    notebooks: dict[tuple[StudentMatch, str], list[PurePosixPath]] = {}
    for file in submitted:
        for submitter in file.submitters:
            paths = notebooks.setdefault((submitter, file.attempt), [])
            path = PurePosixPath(file.inside)
            paths += [path] if path.suffix.lower() == ".ipynb" else []
    return {
        submitter
        for (submitter, _), paths in notebooks.items()
        if len(paths) != 1
        or len(paths[0].parts) > 1
        or directory.candidates(StudentMatch((paths[0].stem,), (paths[0].stem,)))
    }


def _group_of(submitter: StudentMatch, directory: Directory) -> str:
    """Return the group that a name refers to, if no student has this name and the platform's id is nobody else's."""
    if directory.candidates(StudentMatch((), submitter.names)):
        return ""
    by_id = directory.candidates(StudentMatch(submitter.ids))
    return next(
        (name for name in submitter.names if set(members := directory.group_members(name)) >= by_id and members), ""
    )


def _time_key(file: SubmittedFile) -> tuple[float, int, str]:
    when = file.when or file.entry.written
    return (when.timestamp() if when else 0.0, len(file.inside), file.inside)


def _latest_attempt(
    student: str, attempts: Mapping[str, Sequence[SubmittedFile]], result: CollectResult
) -> list[SubmittedFile]:
    """Return the files of the latest attempt; for loose files, the latest version of each name, even with a "(1)" at its end."""
    ordered = sorted(attempts.items(), key=lambda item: (max(map(_time_key, item[1])), _numbers(item[0])))
    name, latest = ordered[-1]
    others = [(earlier, name) for earlier, _ in ordered[:-1]]
    if result.platform == PLAIN and name == "loose":
        latest_by_name: dict[str, SubmittedFile] = {}
        for file in sorted(latest, key=_time_key):
            path = Path(file.inside)
            notebook = path.suffix.lower() == ".ipynb"
            key = ".ipynb" if notebook else casefold_name(without_copy(path.stem) + path.suffix)
            others += [(latest_by_name[key].inside, file.inside)] if key in latest_by_name else []
            latest_by_name[key] = file
        latest = list(latest_by_name.values())
    result.superseded += [(student, f"{earlier!r}: {taken!r} is later, or the same age") for earlier, taken in others]
    return list(latest)


def _numbers(text: str) -> list[int]:
    """Return the numbers in a name: platforms number attempts in ascending order."""
    return [int(number) for number in re.findall(r"\d{1,18}", text)]


def _read_hand_in(
    files: Sequence[SubmittedFile], options: CollectOptions, sheet_time: datetime | None, platform: str
) -> tuple[dict[str, bytes], Record]:
    """Return the content of a hand-in and its record. ``sheet_time`` is the submission time from a sheet."""
    content = _content(files)
    handed_in = max((file.when for file in files if file.when), default=sheet_time)
    written = max((file.entry.written for file in files if file.entry.written), default=None)
    handed_in = handed_in or (written if options.entry_times else None)
    order = (handed_in or written or datetime.fromtimestamp(0, UTC)).astimezone(UTC).isoformat()
    stamp = as_time_stamp(handed_in) if handed_in else ""
    late, uploaded_as = any(file.late for file in files), uploaded_name(platform, [file.entry.path for file in files])
    if platform == MOODLE and any(file.of_group for file in files):
        uploaded_as = ""  # its number is the group's, and would be taken for a participant's when feedback is uploaded
    known_platform = platform if uploaded_as else ""
    return content, Record(options.source.name, digest(content), order, stamp, late, known_platform, uploaded_as)


def _free_path(path: str, data: bytes, content: Mapping[str, bytes]) -> str:
    """Return an unused path: two files may have the same name once a platform's additions are removed."""
    original, number = PurePosixPath(path), 1
    while content.get(path, data) != data:
        number += 1
        path = str(original.with_name(f"{original.stem} ({number}){original.suffix}"))
    return path


def _content(files: Sequence[SubmittedFile]) -> dict[str, bytes]:
    """Return the files by path. Raises UnsafeSubmission if they exceed the bounds of a submission."""
    content: dict[str, bytes] = {}
    space = {True: MOST_NOTEBOOK, False: MOST_BYTES}
    for file in files:
        path = safe(file.inside)
        if path == "timestamp.txt":
            continue  # only what collects the work knows when it was handed in
        is_notebook = path.lower().endswith(".ipynb")
        data = file.entry.read(space[is_notebook])
        space[is_notebook] -= len(data)
        content[_free_path(path, data, content)] = data
        if len(content) > MOST_FILES:
            raise UnsafeSubmission(f"there are more than {MOST_FILES} files")
    folders = {str(folder) for path in content for folder in Path(path).parents}
    if both := sorted(folders & content.keys()):
        raise UnsafeSubmission(f"{both[0]!r} is both a file and a folder")
    return content


_MOST_STUDENTS = 40
_SHOW_THEM = "switch anonymous grading off on the platform"
_SHOW_NAMES = {
    MOODLE: "reveal student identities in Moodle",
    CANVAS: "switch anonymous grading off in Canvas, or post the grades",
}


def print_result(result: CollectResult, options: CollectOptions, console: Console) -> int:
    """Print the result. Returns 1 if something in it needs a person, else 0."""
    counts = {outcome: len(result.students.get(outcome, ())) for outcome in (NEW, NEWER, UNCHANGED, OLDER, YOURS)}
    total = sum(counts.values())
    _print_tables(result, options, total, console)
    _print_notes(result, options, total, console)
    show(
        f"collect: {options.assignment} from {result.platform}, {total} students: "
        + ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
        + f"; {len(result.unmatched)} not matched, {len(result.refused)} not read"
    )
    unresolved = (result.unmatched, result.refused, result.skipped, result.unparsed_times, result.refused_requests)
    return 1 if any(unresolved) else 0


def _print_tables(result: CollectResult, options: CollectOptions, total: int, console: Console) -> None:
    """Print, each with the reason, what was not collected, what was not read, and what was left unchanged."""
    rows = [_unmatched_row(result, name, candidates) for name, candidates in result.unmatched]
    print_table(console, "not matched: not collected", rows, ("handed in as", "who"))
    if rows:
        sheet = "" if options.sheet else ", or add the platform's own sheet, which may know them (--sheet)"
        show(
            f"The archive is anonymous: {_SHOW_NAMES.get(result.platform, _SHOW_THEM)}, and download again. To grade without "
            f"names, write ids such as {result.anonymous!r} into grading/roster.csv."
            if result.anonymous
            else f"To collect these, write the names or ids into grading/roster.csv as they stand here{sheet}."
        )
        if not total and len(rows) == 1:
            show("If all of it is one student's, name the archive, or a folder around it, after the student's id.")
    print_table(console, "neither opened nor followed: not collected", result.skipped, ("file", "why"))
    print_table(console, "left out: not collected", result.superseded, ("student", "what"))
    print_table(
        console, "time not understood: counts as on time", result.unparsed_times, ("student", "time of handing in")
    )
    print_table(console, "not read: not collected", result.refused, ("student", "why"))
    by_hand = [
        (student, "the folder was there before; with --force it is replaced")
        for student in result.students.get(YOURS, ())
    ]
    older = [(student, "what was collected before is newer") for student in result.students.get(OLDER, ())]
    print_table(console, "left as it was", [*by_hand, *older], ("student", "why"))


def _print_notes(result: CollectResult, options: CollectOptions, total: int, console: Console) -> None:
    """Print what a teacher should know about the collected work, and the students without any."""
    if result.students.get(NEWER):
        show(f"newer than what was there, and in its place: {_first_students(result.students[NEWER])}")
    if result.timed:
        show(f"the same work as before, of which the time is known now: {_first_students(result.timed)}")
    if result.outer_folder:
        show(f"taken for the folder around all hand-ins, and not for one: {readable(result.outer_folder)}")
    if result.named_by_source:
        show(f"one hand-in, of whom the name of the archive or folder says: {readable(result.named_by_source)}")
    print_table(console, "requests to grade again: not read", result.refused_requests, ("student", "why"))
    if result.of_groups:
        groups = [f"{name} ({', '.join(members)})" for name, members in sorted(result.of_groups.items())]
        show(f"handed in by a group, and put there for each of its members: {_first_students(groups)}")
    if result.working_files:
        show(f"only worked on and not handed in, and not collected: {_first_students(result.working_files)}")
    if result.other_assignments:
        show(f"of other assignments, and not collected: {_first_students(result.other_assignments)}")
    if result.requests:
        show(f"ask to grade again: {_first_students([student for student, _ in result.requests])}")
    if result.late:
        platform = "The platform" if result.platform == PLAIN else result.platform
        show(f"{platform} marks as late, without saying by how much: {_first_students(result.late)}")
    if result.with_time < total:
        show(
            f"The submission time is unknown for {total - result.with_time} of {total}, which count as on time. "
            + ("" if options.sheet else "A sheet of the platform may have it (--sheet); ")
            + "--entry-times uses the times of the files."
        )
    if result.of_test_student:
        show(f"of Canvas's test student, and not collected: {_first_students(result.of_test_student)}")
    if result.lists:
        show(f"beside the folders of students, and not collected: {_first_students(result.lists)}")
    if result.only_in_sheet:
        show(f"handed in according to the sheet, but nothing is here from: {_first_students(result.only_in_sheet)}")
    if result.missing:
        show(f"nothing from: {_first_students(result.missing)}")


def _unmatched_row(result: CollectResult, name: str, candidates: Sequence[str]) -> tuple[str, str]:
    files = result.unmatched_files[name]
    text = _candidates_text(candidates)
    if not candidates and (similar := result.similar_ids[name]):
        text += f"; {', '.join(similar)} differs only in leading zeros"
    elif not candidates and name in result.hold_students:
        text += "; it holds folders with students' names: if it is nobody's work, collect it by itself"
    elif not candidates and all(file.lower().endswith(".zip") for file in files):
        text += "; if it holds the hand-ins of several, unpack it and collect its content"
    return (f"{name} ({len(files)} files)" if len(files) > 1 else name), text


def _candidates_text(candidates: Sequence[str]) -> str:
    if not candidates:
        return "nobody in the class"
    caveat = ", of whom there is other work that fits as well or better" if len(candidates) == 1 else ""
    return f"could be {', '.join(candidates)}{caveat}"


def _first_students(students: list[str]) -> str:
    more = len(students) - _MOST_STUDENTS
    return ", ".join(map(readable, students[:_MOST_STUDENTS])) + (f" and {more} more" if more > 0 else "")
