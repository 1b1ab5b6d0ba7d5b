"""Find one student's standing, result and hand-in."""

from dataclasses import dataclass

from autograder.grading.committed import known_students
from autograder.grading.course import Course
from autograder.grading.hand_ins import HandIn, normal
from autograder.grading.marks.standing import ClassStanding, Standing
from autograder.grading.marks.standing_of import class_standing
from autograder.grading.people.class_list import handed_in
from autograder.grading.result import Result
from autograder.grading.store import Store


@dataclass(frozen=True)
class Found:
    """A student in an assignment. ``result`` is None where nothing has been graded."""

    standing: ClassStanding
    own: Standing
    result: Result | None


def find(course: Course, student: str, assignment: str) -> Found:
    """Return what is known of a student's work. Raises LookupError if nobody is called that in this class."""
    standing = class_standing(course, assignment)
    own = {normal(one.student.id): one for one in standing.students}.get(normal(student))
    if own is None:
        near = [
            one.student.id for one in standing.students if normal(student).casefold() in one.student.name.casefold()
        ]
        hint = f" Did you mean {', '.join(near[:5])}?" if near else ""
        raise LookupError(f"There is no student {student!r} in {assignment}.{hint}")
    key = own.outcome.key if own.outcome is not None else ""
    return Found(standing, own, Store(course.grading).get(key) if key else None)


def hand_in_of(course: Course, student: str, assignment: str) -> HandIn:
    """Return a student's hand-in, perhaps that of their group. Raises LookupError if there is none."""
    every = handed_in(course, course.grading / "submitted", assignment, known_students(course))
    for one in every:
        if normal(one.student) == normal(student):
            if one.problem:
                raise LookupError(f"{student}: {one.problem}")
            return one
    raise LookupError(f"{student!r} has handed in nothing for {assignment}.")
