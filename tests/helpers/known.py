"""The course's lessons and their known answers, as the tests use them."""

from pathlib import Path

from autograder.content.known_answers import course_cases
from autograder.content.lesson import Lessons
from autograder.grading.course import find_course

HELPERS = Path(__file__).resolve().parent
COURSE = find_course()
LESSONS = Lessons()
ASSIGNMENTS = COURSE.assignments
CASES = {str(case): case for case in course_cases(LESSONS, ASSIGNMENTS)}


def points(assignment: str) -> dict[str, float]:
    """Return what each exercise of an assignment is worth."""
    lesson = LESSONS.of(assignment)
    return {name: lesson.points(name) for name in lesson.exercises}


def of(exercise: str, right: bool, assignment: str = ""):
    """Return the known answers to an exercise, right ones or wrong ones; of one lesson, if two have an exercise of the name."""
    found = [case for case in CASES.values() if (case.exercise, case.right) == (exercise, right)]
    return [case for case in found if assignment in ("", case.assignment)]
