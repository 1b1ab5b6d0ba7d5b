"""The class of a course: the roster, and the students that only the gradebook knows."""

from dataclasses import replace

from autograder.grading.committed import database
from autograder.grading.course import Course
from autograder.grading.people.policy import Policy, read_policy
from autograder.grading.people.roster import Roster, Student, read_roster


def roster_file(course: Course):  # type: ignore[no-untyped-def]
    return course.grading / "roster.csv"


def class_of(course: Course, policy: Policy | None = None) -> Roster:
    """Return everyone in the class: those in ``grading/roster.csv``, then those that only the gradebook knows.

    Raises ValueError if the roster is wrong.
    """
    policy = policy or read_policy(course)
    roster = read_roster(roster_file(course), policy.zone, course.assignments)
    if not (course.grading / "gradebook.db").exists():
        return roster
    from nbgrader.api import Gradebook

    known = {student.id for student in roster}
    with Gradebook(database(course)) as gradebook:
        others = [
            Student(one.id, one.last_name or "", one.first_name or "", one.email or "")
            for one in gradebook.students
            if one.id not in known
        ]
    return replace(roster, students=(*roster.students, *others))


def enter(course: Course, roster: Roster) -> None:
    """Write the names of the roster's students into the gradebook, in which the formgrader and plain nbgrader find them."""
    from nbgrader.api import Gradebook
    from nbgrader.api import Student as Row

    if not roster.students or not (course.grading / "gradebook.db").exists():
        return
    with Gradebook(database(course)) as gradebook:
        there = {row.id: row for row in gradebook.db.query(Row)}
        for student in roster:
            about = {"first_name": student.first_name, "last_name": student.last_name, "email": student.email}
            row = there.get(student.id)
            if row is None:
                gradebook.db.add(Row(id=student.id, **about))
            else:
                for name, value in about.items():
                    if value and getattr(row, name) != value:
                        setattr(row, name, value)
        gradebook.db.commit()
