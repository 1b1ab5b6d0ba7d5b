"""Read from the gradebook, the roster and the outcomes where each student stands."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from autograder.grading.course import Course
from autograder.grading.gradebook.class_list import class_of
from autograder.grading.gradebook.queries import Mark, Work, marks, opened, works
from autograder.grading.gradebook.regrade_requests import Request, requests
from autograder.grading.gradebook.standing import (
    EXCUSED,
    MISSING,
    UNMARKED,
    WAITING,
    ClassStanding,
    Part,
    Standing,
    blank_parts,
)
from autograder.grading.gradebook.state import assignment_in
from autograder.grading.gradebook.sync import penalties, settle
from autograder.grading.roster.policy import LateRule, Policy, read_policy
from autograder.grading.roster.roster import Student
from autograder.grading.run.outcome import GRADED, Outcome, recall
from autograder.grading.submission.hand_ins import normal


def class_standing(course: Course, assignment: str) -> ClassStanding:
    """Return where everybody stands, after bringing the gradebook up to date with the roster and the rules.

    Raises LookupError if the gradebook does not know the assignment, and ValueError if the roster or a rule is wrong.
    """
    released = assignment_in(course, assignment)
    told = settle(course)
    policy = read_policy(course)
    everyone = class_of(course, policy)
    outcomes = {normal(student): outcome for student, outcome in recall(course.grading, assignment).items()}
    with opened(course) as db:
        done, given = works(db), marks(db, assignment)
    charged = _charged(policy, done)
    of_student = {work.student: work for work in done if work.assignment == assignment}
    by_student: dict[str, list[Mark]] = defaultdict(list)
    for mark in given:
        by_student[mark.student].append(mark)
    asked = requests(course, assignment)
    waiting = {normal(path.parent.name) for path in (course.grading / "submitted").glob(f"*/{assignment}")}
    known = {normal(student.id): student for student in everyone}
    extra = [Student(who) for who in sorted({*outcomes, *waiting} - known.keys())]
    return ClassStanding(
        assignment,
        released,
        tuple(
            _standing(
                student,
                assignment,
                blank_parts(released),
                of_student.get(student.id),
                by_student.get(student.id, ()),
                outcomes.get(normal(student.id)),
                normal(student.id) in waiting,
                charged,
                tuple(asked.get(student.id, ())),
            )
            for student in (*everyone, *extra)
        ),
        next((work.due for work in done if work.assignment == assignment), policy.due.get(assignment)),
        tuple(told),
    )


def _charged(policy: Policy, done: Sequence[Work]) -> Mapping[str, int]:
    """Return the days late by notebook; without a rule of ours, whole days begun."""
    rule = policy.late or LateRule()
    return {notebook: days for notebook, (days, _) in penalties(rule, done).items()}


def _standing(
    student: Student,
    assignment: str,
    blank: Sequence[Part],
    work: Work | None,
    given: Sequence[Mark],
    outcome: Outcome | None,
    handed_in: bool,
    charged: Mapping[str, int],
    asked: tuple[Request, ...],
) -> Standing:
    if student.is_excused(assignment):
        return Standing(student, EXCUSED, tuple(blank), outcome=outcome, requests=asked)
    if outcome is not None and outcome.state != GRADED:
        return Standing(student, outcome.state, tuple(blank), outcome=outcome, requests=asked)
    if work is None or (outcome is None and not given):
        return Standing(student, WAITING if handed_in else MISSING, tuple(blank), requests=asked)
    mark_of = {mark.cell: mark for mark in given}
    parts = tuple(_part(part, mark_of.get(part.cell)) for part in blank)
    open_ones = any(part.earned is None for part in parts)
    raw = round(sum(part.earned or 0.0 for part in parts), 4)
    return Standing(
        student,
        UNMARKED if open_ones else GRADED,
        parts,
        raw,
        work.penalty or 0.0,
        charged.get(work.notebook, 0),
        work.handed_in,
        outcome,
        asked,
    )


def _part(blank: Part, mark: Mark | None) -> Part:
    if mark is None:
        return blank
    return Part(blank.cell, blank.title, blank.points, mark.earned, mark.manual is not None, mark.comment)
