"""Statistics of a class's results: pass rates of checks, misconceptions, and unexplained wrong answers."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import StatisticsError, correlation

from autograder.content.known_answers import misconceptions
from autograder.content.lesson import Lessons
from autograder.grading.course import Course
from autograder.grading.gradebook.status import ClassStatus
from autograder.grading.run.result import Result
from autograder.grading.teacher.answers import Answer, Group, answer_in, cells_of, groups

#: Maximum of unexplained answers that are read; a class with more has a question that nobody understood.
_MOST_UNNAMED = 600

#: Minimum number of students for a meaningful correlation.
_FEWEST = 10


@dataclass
class Check:
    """One check of an exercise: the number of students who passed it, out of those whose work was checked."""

    sentence: str
    points: float
    passed: int = 0
    tried: int = 0


@dataclass
class Exercise:
    """One exercise in the class, with the points of each student."""

    name: str
    points: float
    checks: dict[str, Check] = field(default_factory=dict)
    earned: dict[str, float] = field(default_factory=dict)
    #: The correlation of its points with those of all other exercises; None for fewer than ten students or equal points.
    discrimination: float | None = None

    @property
    def mean(self) -> float:
        return sum(self.earned.values()) / len(self.earned) if self.earned else 0.0

    @property
    def full(self) -> int:
        """The number of students with all points."""
        return sum(points >= self.points for points in self.earned.values())


@dataclass
class Misconception:
    """A recognised mistake, its hint, and the students who made it."""

    exercise: str
    name: str
    hint: str
    students: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Findings:
    """The statistics of a class in one assignment."""

    exercises: tuple[Exercise, ...]
    misconceptions: tuple[Misconception, ...]
    unnamed: tuple[Group, ...]
    not_begun: Mapping[str, int]


def findings(course: Course, class_status: ClassStatus, results: Mapping[str, Result]) -> Findings:
    """Return the statistics of these results."""
    exercises: dict[str, Exercise] = {}
    named: dict[tuple[str, str], Misconception] = {}
    unnamed: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    not_begun: dict[str, int] = defaultdict(int)
    hints = _Hints(course.lessons, class_status.assignment)
    for student, result in results.items():
        for report in result.exercises:
            _count(exercises.setdefault(report["name"], Exercise(report["name"], report["points"])), student, report)
            for cause in report["named"]:
                misconception = named.setdefault(
                    (report["name"], cause),
                    Misconception(report["name"], cause, hints.of(report["name"], cause, report["text"])),
                )
                misconception.students.append(student)
            failed = tuple(check["name"] for check in report["checks"] if check["earned"] < check["points"])
            if re.search("^○ ", report["text"], re.MULTILINE) and not report["earned"]:
                not_begun[report["name"]] += 1
            elif failed and not report["named"]:
                unnamed[(report["name"], failed)].append(student)
    for exercise in exercises.values():
        exercise.discrimination = _item_rest_correlation(exercise, [*exercises.values()])
    return Findings(
        tuple(exercises.values()),
        tuple(
            sorted(
                named.values(),
                key=lambda misconception: (-len(misconception.students), misconception.exercise, misconception.name),
            )
        ),
        tuple(_groups(course, class_status, unnamed)),
        dict(not_begun),
    )


def _item_rest_correlation(exercise: Exercise, exercises: Sequence[Exercise]) -> float | None:
    """Return how well an exercise separates strong from weak students: the corrected item-total correlation of test theory."""
    others = [
        sum(other.earned.get(student, 0.0) for other in exercises if other is not exercise)
        for student in exercise.earned
    ]
    if len(others) < _FEWEST:
        return None
    try:
        return correlation(list(exercise.earned.values()), others)
    except StatisticsError:  # everybody has the same points
        return None


def _count(exercise: Exercise, student: str, exercise_result: Mapping) -> None:
    exercise.earned[student] = exercise_result["earned"]
    for check_result in exercise_result["checks"]:
        if check_result["points"]:
            check = exercise.checks.setdefault(
                check_result["name"], Check(check_result["sentence"], check_result["points"])
            )
            check.tried += 1
            check.passed += check_result["earned"] >= check_result["points"]


def _groups(
    course: Course, class_status: ClassStatus, unnamed: Mapping[tuple[str, tuple[str, ...]], Sequence[str]]
) -> list[Group]:
    """Read the answers without a named misconception, and group them."""
    cells: dict[str, list] = {}
    answers: dict[tuple[str, tuple[str, ...]], list[Answer]] = {}
    count = 0
    for key, students in sorted(unnamed.items(), key=lambda item: -len(item[1])):
        for student in students:
            if count >= _MOST_UNNAMED:
                break
            if student not in cells:
                cells[student] = cells_of(course, class_status.released, student)
            if text := answer_in(cells[student], key[0]):
                answers.setdefault(key, []).append(Answer(student, key[0], text))
                count += 1
    return groups(answers)


class _Hints:
    """The hint for a misconception: from the lesson's known answers, or from a report that a student has read."""

    def __init__(self, lessons: Lessons, assignment: str):
        self.lesson = lessons.find(assignment)
        self._known: dict[str, dict[str, str]] = {}

    def of(self, exercise: str, cause: str, text: str) -> str:
        if exercise not in self._known:
            cases = misconceptions(self.lesson, exercise) if self.lesson is not None else ()
            self._known[exercise] = {case.title: case.hint for case in cases}
        return self._known[exercise].get(cause) or _hint_below(text, cause)


def _hint_below(text: str, cause: str) -> str:
    """Return the sentences below a cause in a report."""
    match = re.search(rf"Likely cause: {re.escape(cause)}\.\n\s*(.+)", text)
    return match[1].strip() if match else ""
