"""Bring the gradebook up to date with ``course.toml`` and the roster: due dates, extensions, groups' marks, optional points,
penalties.

All of this is derived data, so it can be renewed at any time: after grading, marking, or a change of the rules. Marks given by a
person are not changed, except that the members of a group share theirs.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import add_to_gradebook, roster_of
from autograder.grading.gradebook.optional_points import balance_optional_points
from autograder.grading.gradebook.queries import (
    Mark,
    SubmissionRow,
    comments,
    gradebook_session,
    marks,
    submission_rows,
)
from autograder.grading.roster.roster import LateRule, Policy, Roster, read_policy
from autograder.grading.run.store import write_whole


def sync_gradebook(course: Course) -> list[str]:
    """Update the gradebook, and return messages for a person. Raises ValueError if the roster or a rule is invalid."""
    if not (course.grading / "gradebook.db").exists():
        return []
    policy = read_policy(course)
    roster = roster_of(course, policy)
    add_to_gradebook(course, roster)
    with gradebook_session(course) as db:
        _due_dates(db, policy)
        _extensions(db, roster)
        messages = _share_marks(db, course, roster)
        balance_optional_points(db, course, policy.optional)
        if policy.late is not None:
            _penalties(db, policy.late)
        db.commit()
    return messages


def _due_dates(db: Any, policy: Policy) -> None:
    from nbgrader.api import Assignment

    for name, due in policy.due.items():
        naive = due.astimezone(UTC).replace(tzinfo=None)
        db.query(Assignment).filter(Assignment.name == name).update({"duedate": naive})


def _extensions(db: Any, roster: Roster) -> None:
    """Write the extensions into the gradebook. For students in the roster, the roster decides."""
    from nbgrader.api import SubmittedAssignment

    extensions_of = {student.id: student.extensions for student in roster}
    for work in submission_rows(db):
        if work.student in extensions_of:
            extension = _extension(extensions_of[work.student].get(work.assignment), work.due)
            if extension != work.extension:
                rows = db.query(SubmittedAssignment).filter(SubmittedAssignment.id == work.submission)
                rows.update({"extension": extension})


def _extension(extension: timedelta | datetime | None, due: datetime | None) -> timedelta | None:
    if isinstance(extension, datetime):
        return None if due is None else extension - due
    return extension


def penalties(rule: LateRule, rows: Sequence[SubmissionRow]) -> dict[str, tuple[int, float]]:
    """Return the days late and the penalty in points of each notebook.

    A student's free days are spent in the order of the due dates, and only on days that cost something.
    """
    owed: dict[str, tuple[int, float]] = {}
    free_days: dict[str, int] = defaultdict(lambda: rule.free_days)
    for work in sorted(rows, key=lambda row: (row.due or datetime.max.replace(tzinfo=UTC), row.assignment)):
        days = rule.days(work.late)
        free = min(days, free_days[work.student])
        free_days[work.student] -= free
        owed[work.notebook] = days, rule.penalty(days - free, work.score, work.possible)
    return owed


def _penalties(db: Any, rule: LateRule) -> None:
    from nbgrader.api import SubmittedNotebook

    rows = submission_rows(db)
    owed = penalties(rule, rows)
    for work in rows:
        _, penalty = owed[work.notebook]
        if (work.penalty or 0.0) != penalty:
            stored = db.query(SubmittedNotebook).filter(SubmittedNotebook.id == work.notebook)
            stored.update({"late_submission_penalty": penalty or None})


def _share_marks(db: Any, course: Course, roster: Roster) -> list[str]:
    """Copy the marks and comments that a person gave one member of a group to the other members."""
    if not roster.groups:
        return []
    path = course.grading / "groups.json"
    try:
        shared = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError):
        shared = {}
    messages, places = [], comments(db)
    for (assignment, group, cell), marks_of_cell in _marks_of_groups(db, roster).items():
        key = f"{assignment}/{group}/{cell}"
        by_hand = {(mark.manual, mark.comment) for mark in marks_of_cell if mark.manual is not None}
        if len(by_hand) > 1:  # one of them was changed after it had been shared
            by_hand = {decision for decision in by_hand if list(decision) != shared.get(key)}
        if len(by_hand) == 1:
            shared[key] = list(wanted := by_hand.pop())
            for mark in marks_of_cell:
                if (mark.manual, mark.comment) != wanted:
                    _write_mark(db, mark, *wanted, places.get((mark.notebook, mark.cell)))
        elif by_hand:
            points_by_student = ", ".join(
                f"{mark.student} {mark.manual:g}" for mark in marks_of_cell if mark.manual is not None
            )
            messages.append(
                f"{assignment}: {cell} of group {group} has different marks by hand ({points_by_student}); neither was shared"
            )
    write_whole(path, json.dumps(shared, indent=1, ensure_ascii=False, sort_keys=True))
    return messages


def _marks_of_groups(db: Any, roster: Roster) -> dict[tuple[str, str, str], list[Mark]]:
    """Return the marks of all members of a group, by (assignment, group, cell)."""
    group_of = {member: name for name, members in roster.groups.items() for member in members}
    assignment_of = {work.notebook: work.assignment for work in submission_rows(db)}
    marks_of: dict[tuple[str, str, str], list[Mark]] = defaultdict(list)
    for mark in marks(db):
        if mark.student in group_of:
            marks_of[(assignment_of[mark.notebook], group_of[mark.student], mark.cell)].append(mark)
    return marks_of


def _write_mark(db: Any, mark: Mark, points: float, comment: str, comment_row: tuple[str, str] | None) -> None:
    """Write points and a comment. ``comment_row`` is the comment's row with its content."""
    from nbgrader.api import Comment, Grade

    db.query(Grade).filter(Grade.id == mark.id).update({"manual_score": points, "needs_manual_grade": False})
    if comment_row is not None and comment_row[1] != comment:
        db.query(Comment).filter(Comment.id == comment_row[0]).update({"manual_comment": comment})
