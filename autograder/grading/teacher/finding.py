"""Find one student's standing and result."""

from autograder.grading.course import Course
from autograder.grading.gradebook.standing_of import class_standing
from autograder.grading.run.store import Store
from autograder.grading.submission.hand_ins import normal
from autograder.grading.teacher.found import Found


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
