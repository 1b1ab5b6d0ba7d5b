"""What is known of one student's work."""

from dataclasses import dataclass

from autograder.grading.course import Course
from autograder.grading.gradebook.class_list import handed_in
from autograder.grading.gradebook.standing import ClassStanding, Standing
from autograder.grading.gradebook.state import known_students
from autograder.grading.run.result import Result
from autograder.grading.submission.hand_ins import HandIn, normal


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
