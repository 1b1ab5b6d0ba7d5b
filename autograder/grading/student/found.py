"""What is known of one student's work."""

from dataclasses import dataclass

from autograder.grading.committed import known_students
from autograder.grading.course import Course
from autograder.grading.hand_ins import HandIn, normal
from autograder.grading.marks.standing import ClassStanding, Standing
from autograder.grading.people.class_list import handed_in
from autograder.grading.result import Result


@dataclass(frozen=True)
class Found:
    """A student in an assignment. ``result`` is None where nothing has been graded."""

    standing: ClassStanding
    own: Standing
    result: Result | None


def hand_ins_of(course: Course, assignment: str) -> list[HandIn]:
    """Return everyone's hand-ins."""
    return handed_in(course, course.grading / "submitted", assignment, known_students(course))


def hand_in_of(course: Course, student: str, assignment: str) -> HandIn:
    """Return a student's hand-in, perhaps that of their group. Raises LookupError if there is none."""
    for one in hand_ins_of(course, assignment):
        if normal(one.student) == normal(student):
            if one.problem:
                raise LookupError(f"{student}: {one.problem}")
            return one
    raise LookupError(f"{student!r} has handed in nothing for {assignment}.")
