"""A class whose hand-ins were never graded: results, points and outcomes are made up and written as grading writes them.

What is tested with it is what comes after grading. ``course`` makes the gradebook once with nbgrader's own command; the rows of
students are then written into it directly, a thousand in a few seconds.
"""

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)

from autograder.authoring.lay_out import lay_out
from autograder.content.known_answers import misconceptions
from autograder.grading.course import Course, find_course
from autograder.grading.gradebook.queries import database, released_assignment
from autograder.grading.run.result import Result
from autograder.grading.run.status import GRADED, HUMAN, Outcome, graded, save_status
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings

ASSIGNMENT = "01-attention"
DUE = datetime(2026, 10, 5, 22, 0)


def course(place: Path) -> Course:
    """Return a course with the first lesson in its gradebook, and nobody in it."""
    return lay_out(find_course(), place, [ASSIGNMENT])


def exercises_of(course: Course) -> list[dict[str, Any]]:
    """Return the exercises of the first lesson as a full result lists them."""
    lesson = find_course().lessons.of(ASSIGNMENT)
    found = []
    for name in lesson.exercises:
        points = lesson.points(name)
        checks = [
            {"name": f"check_{name}_{n}", "sentence": f"property {n} of {name}", "points": p, "earned": p}
            for n, p in enumerate((1.0, points - 1.0))
        ]
        found.append({"name": name, "points": points, "earned": points, "checks": checks})
    return found


def result(course: Course, digest: str, wrong: dict[str, str], seed: int = 7) -> Result:
    """Return a result in which the second check of each exercise of ``wrong`` failed, for this cause (perhaps none)."""
    exercises, scores = [], {}
    for one in exercises_of(course):
        checks = [dict(check, failure="", cause="") for check in one["checks"]]
        if one["name"] in wrong:
            checks[1] |= {"earned": 0.0, "failure": "Y is wrong", "cause": wrong[one["name"]]}
        earned = sum(check["earned"] for check in checks)
        named = [wrong[one["name"]]] if wrong.get(one["name"]) else []
        about = {"earned": earned, "points": one["points"], "seed": seed, "named": named, "note": "", "checks": checks}
        exercises.append({"name": one["name"], **about, "text": f"{one['name']}: {earned:g} of {one['points']:g}"})
        scores[f"check-{one['name']}"] = (earned, one["points"])
    made = Result(ASSIGNMENT, digest, seed, True, "made up", {"python": "3"}, scores=scores, exercises=exercises)
    made.errors = [("set-up", "ModuleNotFoundError: No module named 'seaborn'")] if "softmax" in wrong else []
    return made


def hand_in(
    course: Course,
    wrong: dict[str, dict[str, str]],
    at: dict[str, datetime] | None = None,
    manual: dict[str, dict[str, float]] | None = None,
    notes: dict[str, tuple[str, ...]] | None = None,
) -> None:
    """Write a made-up result for each student of ``wrong`` into the store, the outcomes and the gradebook.

    ``at`` says when a student handed in, in UTC; ``manual`` the points of written questions, which are open otherwise.
    """
    released = released_assignment(course, ASSIGNMENT)
    store = Store(course.grading)
    outcomes = []
    with Gradebook(database(course)) as gradebook:
        db = gradebook.db
        assignment = db.query(Assignment).filter(Assignment.name == ASSIGNMENT).one()
        assignment.duedate = DUE
        notebook = db.query(Notebook).filter(Notebook.assignment_id == assignment.id).one()
        for number, (student, about) in enumerate(wrong.items()):
            made = result(course, f"digest of {student}", about, number)
            key = f"{number:064x}"
            store.put(key, made)
            noted = [*(notes or {}).get(student, ())]
            outcomes.append(graded(student, key, made, released, noted, False, 10.0 + number % 7))
            if not db.query(Student.id).filter(Student.id == student).scalar():
                db.add(Student(id=student))
            submission = SubmittedAssignment(
                assignment_id=assignment.id, student_id=student, timestamp=(at or {}).get(student)
            )
            db.add(submission)
            db.flush()
            _enter(db, submission, notebook, made, (manual or {}).get(student, {}))
        db.commit()
    save_status(course.grading, ASSIGNMENT, outcomes)


def _enter(
    db: Any, submission: SubmittedAssignment, notebook: Notebook, made: Result, manual: dict[str, float]
) -> None:
    """Enter the points of a submission's cells, and the places for comments."""
    work = SubmittedNotebook(notebook_id=notebook.id, assignment_id=submission.id)
    db.add(work)
    db.flush()
    for cell in notebook.grade_cells:
        points, auto = manual.get(cell.name), made.scores.get(cell.name, (None, 0.0))[0]
        needs_manual_grade = auto is None and points is None
        db.add(
            Grade(
                cell_id=cell.id,
                notebook_id=work.id,
                auto_score=auto,
                manual_score=points,
                needs_manual_grade=needs_manual_grade,
            )
        )
    for cell in notebook.solution_cells:
        db.add(Comment(cell_id=cell.id, notebook_id=work.id))


def write_answers(course: Course, cell: str, texts: dict[str, str]) -> None:
    """Write an autograded notebook for each student, with nothing but the answer to a written question."""
    for student, text in texts.items():
        place = course.grading / "autograded" / student / ASSIGNMENT
        place.mkdir(parents=True)
        written = {"cell_type": "markdown", "metadata": {"nbgrader": {"grade_id": cell}}, "source": text}
        notebook = {"cells": [written], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (place / "attention.ipynb").write_text(json.dumps(notebook), encoding="utf8")


def needs_human(course: Course, student: str, reason: str) -> None:
    save_status(course.grading, ASSIGNMENT, [Outcome(student, HUMAN, reason=reason)])


def random_class(course: Course, number: int, seed: int = 1) -> None:
    """Make a class of this size, with the misconceptions that the lesson knows, each with a likelihood of its own."""
    draw = random.Random(seed)
    lesson = find_course().lessons.of(ASSIGNMENT)
    known = {name: [case.title for case in misconceptions(lesson, name)] for name in lesson.exercises}
    wrong: dict[str, dict[str, str]] = {}
    for student in range(number):
        missed = [name for name in known if draw.random() < 0.25]
        wrong[f"s{student:04d}"] = {
            name: draw.choice(known[name][:4]) if draw.random() < 0.7 else "" for name in missed
        }
    hand_in(course, wrong)


__all__ = [
    "ASSIGNMENT",
    "DUE",
    "GRADED",
    "Settings",
    "course",
    "hand_in",
    "needs_human",
    "random_class",
    "result",
    "write_answers",
]
