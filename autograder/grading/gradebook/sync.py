"""Bring the gradebook up to date with ``course.toml`` and the roster: due dates, extensions, groups' marks, penalties.

All of it is derived, so that it may be done again at any time: after grading, marking, or a change of the rules. No mark that a
person gave is changed, except that the members of a group share theirs.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import enter, roster_of
from autograder.grading.gradebook.queries import Mark, Work, comments, marks, opened, works
from autograder.grading.roster.roster import LateRule, Policy, Roster, read_policy
from autograder.grading.run.store import write_whole


def sync_gradebook(course: Course) -> list[str]:
    """Update the gradebook, and return what a person should look at. Raises ValueError if the roster or a rule is wrong."""
    if not (course.grading / "gradebook.db").exists():
        return []
    policy = read_policy(course)
    roster = roster_of(course, policy)
    enter(course, roster)
    with opened(course) as db:
        _due_dates(db, policy)
        _extensions(db, roster)
        messages = _share_marks(db, course, roster)
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
    """Write the extensions into the gradebook. The roster decides for everyone who is in it."""
    from nbgrader.api import SubmittedAssignment

    given = {student.id: student.extensions for student in roster}
    for work in works(db):
        if work.student in given:
            wanted = _extension(given[work.student].get(work.assignment), work.due)
            if wanted != work.extension:
                rows = db.query(SubmittedAssignment).filter(SubmittedAssignment.id == work.submission)
                rows.update({"extension": wanted})


def _extension(given: timedelta | datetime | None, due: datetime | None) -> timedelta | None:
    if isinstance(given, datetime):
        return None if due is None else given - due
    return given


def penalties(rule: LateRule, done: Sequence[Work]) -> dict[str, tuple[int, float]]:
    """Return the days late and the penalty in points of each notebook.

    A student's free days are spent in the order of the due dates, and only on days that cost something.
    """
    found: dict[str, tuple[int, float]] = {}
    left: dict[str, int] = defaultdict(lambda: rule.free_days)
    for work in sorted(done, key=lambda one: (one.due or datetime.max.replace(tzinfo=UTC), one.assignment)):
        days = rule.days(work.late)
        free = min(days, left[work.student])
        left[work.student] -= free
        found[work.notebook] = days, rule.penalty(days - free, work.score, work.possible)
    return found


def _penalties(db: Any, rule: LateRule) -> None:
    from nbgrader.api import SubmittedNotebook

    done = works(db)
    owed = penalties(rule, done)
    for work in done:
        _, penalty = owed[work.notebook]
        if (work.penalty or 0.0) != penalty:
            rows = db.query(SubmittedNotebook).filter(SubmittedNotebook.id == work.notebook)
            rows.update({"late_submission_penalty": penalty or None})


def _share_marks(db: Any, course: Course, roster: Roster) -> list[str]:
    """Give each member of a group the marks and comments that a person gave one of them."""
    groups = roster.groups
    if not groups:
        return []
    path = course.grading / "groups.json"
    try:
        shared = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError):
        shared = {}
    group_of = {member: name for name, members in groups.items() for member in members}
    assignment_of = {work.notebook: work.assignment for work in works(db)}
    together: dict[tuple[str, str, str], list[Mark]] = defaultdict(list)
    for mark in marks(db):
        if mark.student in group_of:
            together[(assignment_of[mark.notebook], group_of[mark.student], mark.cell)].append(mark)
    messages, places = [], comments(db)
    for (assignment, group, cell), same in together.items():
        key = f"{assignment}/{group}/{cell}"
        given = {(mark.manual, mark.comment) for mark in same if mark.manual is not None}
        if len(given) > 1:  # one of them was changed after it had been shared
            given = {one for one in given if list(one) != shared.get(key)}
        if len(given) == 1:
            shared[key] = list(wanted := given.pop())
            for mark in same:
                if (mark.manual, mark.comment) != wanted:
                    _give(db, mark, *wanted, places.get((mark.notebook, mark.cell)))
        elif given:
            who = ", ".join(f"{mark.student} {mark.manual:g}" for mark in same if mark.manual is not None)
            messages.append(
                f"{assignment}: {cell} of group {group} has different marks by hand ({who}); neither was shared"
            )
    write_whole(path, json.dumps(shared, indent=1, ensure_ascii=False, sort_keys=True))
    return messages


def _give(db: Any, mark: Mark, points: float, comment: str, place: tuple[str, str] | None) -> None:
    """Write points and a comment; ``place`` is the comment's row and what it holds."""
    from nbgrader.api import Comment, Grade

    db.query(Grade).filter(Grade.id == mark.id).update({"manual_score": points, "needs_manual_grade": False})
    if place is not None and place[1] != comment:
        db.query(Comment).filter(Comment.id == place[0]).update({"manual_comment": comment})
