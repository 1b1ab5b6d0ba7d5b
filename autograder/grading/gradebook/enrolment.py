"""The students enrolled in a course, their groups, and their submissions in nbgrader's gradebook."""

import filecmp
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.course import Course
from autograder.grading.gradebook.queries import database
from autograder.grading.roster.datetimes import of_file
from autograder.grading.roster.roster import Policy, Roster, Student, read_policy, read_roster
from autograder.grading.submission.read import HandIn, UnsafeSubmission, hand_ins, inspect


def roster_of(course: Course, policy: Policy | None = None) -> Roster:
    """Return the students of ``grading/roster.csv``; an empty roster without that file. Raises ValueError if it is invalid."""
    policy = policy or read_policy(course)
    return read_roster(course.grading / "roster.csv", policy.zone, course.gradable, course.lessons.current)


def enrolled_students(course: Course, policy: Policy | None = None) -> Roster:
    """Return all students of the class: those of the roster, then any others in the gradebook."""
    roster = roster_of(course, policy)
    if not (course.grading / "gradebook.db").exists():
        return roster
    from nbgrader.api import Gradebook
    from nbgrader.api import Student as Row

    roster_ids = {student.id for student in roster}
    with Gradebook(database(course)) as gradebook:
        rows = gradebook.db.query(Row.id, Row.last_name, Row.first_name, Row.email).order_by(Row.id).all()
    others = [
        Student(student_id, last or "", first or "", mail or "")
        for student_id, last, first, mail in rows
        if student_id not in roster_ids
    ]
    return Roster((*roster.students, *others))


def handed_in(course: Course, submitted: Path, assignment: str, other_ids: Sequence[str]) -> list[HandIn]:
    """Return the hand-ins of an assignment, one for each student who handed in alone or in a group.

    ``other_ids`` are ids of students besides those of the roster. Raises ValueError if the roster is invalid.
    """
    roster = roster_of(course)
    everyone, hand_in_of = [*other_ids, *(student.id for student in roster)], dict[str, HandIn]()
    for name in course.lessons.all_names(assignment):
        for hand_in in hand_ins(submitted, name, everyone):
            hand_in_of.setdefault(hand_in.student, hand_in)
    return with_group_members([hand_in_of[student] for student in sorted(hand_in_of)], roster.groups)


def add_to_gradebook(course: Course, roster: Roster) -> None:
    """Write the roster's students into the gradebook, so that formgrader and plain nbgrader know their names."""
    from nbgrader.api import Gradebook
    from nbgrader.api import Student as Row

    if not roster.students or not (course.grading / "gradebook.db").exists():
        return
    with Gradebook(database(course)) as gradebook:
        rows = gradebook.db.query(Row.id, Row.first_name, Row.last_name, Row.email)
        rows_by_id = {row[0]: tuple(row[1:]) for row in rows}
        for student in roster:
            columns = {"first_name": student.first_name, "last_name": student.last_name, "email": student.email}
            if student.id not in rows_by_id:
                gradebook.db.add(Row(id=student.id, **columns))
                continue
            pairs = zip(columns.items(), rows_by_id[student.id], strict=True)
            if changed := {name: value for (name, value), before in pairs if value and value != before}:
                gradebook.db.query(Row).filter(Row.id == student.id).update(changed)
        gradebook.db.commit()


_LONGEST_STAMP = 200


def with_group_members(all_hand_ins: Sequence[HandIn], groups: Mapping[str, Sequence[str]]) -> list[HandIn]:
    """Return the hand-ins, with one for each member of a group: the latest of any member.

    If members handed in different files, a note says whose counts.
    """
    by_student = {hand_in.student: hand_in for hand_in in all_hand_ins}
    for name, members in groups.items():
        group_hand_ins = [by_student[member] for member in members if member in by_student]
        if not group_hand_ins:
            continue
        latest = max(group_hand_ins, key=lambda hand_in: (not hand_in.problem, handed_in_at(hand_in.folder)))
        others = [
            hand_in.student for hand_in in group_hand_ins if hand_in is not latest and not _same_files(hand_in, latest)
        ]
        note = f"group {name}: graded the hand-in of {latest.student}, which is later than that of {', '.join(others)}"
        for member in members:
            text = note if others else latest.note
            by_student[member] = replace(latest, student=member, note=text, by=latest.author)
    return sorted(by_student.values(), key=lambda hand_in: hand_in.student)


def _same_files(first: HandIn, second: HandIn) -> bool:
    """Return whether two hand-ins hold the same files. Files that are unsafe to read count as different."""
    try:
        files = [inspect(hand_in.folder) for hand_in in (first, second)]
        of = [{name: path for name, path in paths.items() if name != "timestamp.txt"} for paths in files]
        return of[0].keys() == of[1].keys() and all(
            filecmp.cmp(path, of[1][name], shallow=False) for name, path in of[0].items()
        )
    except (OSError, UnsafeSubmission):
        return False


def handed_in_at(folder: Path) -> datetime:
    """Return the time at which a folder was handed in: from its time stamp, or else that of its latest file."""
    from nbgrader.utils import parse_utc

    stamp = folder / "timestamp.txt"
    try:
        if stamp.is_file() and not stamp.is_symlink() and stamp.stat().st_size <= _LONGEST_STAMP:
            return parse_utc(stamp.read_text(encoding="utf8").strip()).replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        pass  # use the times of the files
    try:
        times = [path.lstat().st_mtime for path in (folder, *folder.iterdir())]
    except OSError:
        times = [0]
    return of_file(max(times)) or datetime.fromtimestamp(0, UTC)
