"""``autograder similar``: compare the answers of a class, and write the page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.content.answers import cases_of
from autograder.grading.course import Course
from autograder.grading.gradebook.standing import ClassStanding
from autograder.grading.gradebook.standing_of import class_standing
from autograder.grading.progress import progress
from autograder.grading.run.whole_file import write_whole
from autograder.grading.teacher.answers import answer_in, cells_of
from autograder.grading.teacher.compare import Pair, Print, alike, fingerprint, known_hashes, marked, pairs
from autograder.grading.teacher.page import render

_MOST_PAIRS = 60


def write_similar(course: Course, assignment: str, least: float, output: Path | None = None) -> tuple[Path, int]:
    """Compare everyone's answers, and return the page and the number of pairs with at least this share in common.

    Raises LookupError if nothing has been graded.
    """
    standing = class_standing(course, assignment)
    prints = _prints(course, standing)
    if not prints:
        raise LookupError(
            f"Nobody's work in {assignment!r} has been graded yet. Run this first: autograder grade {assignment}"
        )
    together = {one.student.id: one.student.group for one in standing.students if one.student.group}
    found = pairs(prints, together, least)
    names = {one.student.id: one.student.name for one in standing.students}
    shown = [_shown(pair, prints, names) for pair in found[:_MOST_PAIRS]]
    page = output or course.grading / "similar" / f"{assignment}.html"
    exercises = list(prints)
    students = len({student for some in prints.values() for student in some})
    given = {"assignment": assignment, "pairs": shown, "more": len(found) - len(shown), "students": students}
    write_whole(page, render("similar.html.j2", exercises=exercises, least=least, **given))
    return page, len(found)


def _prints(course: Course, standing: ClassStanding) -> dict[str, dict[str, Print]]:
    """Return the fingerprints by exercise and student, without what was released and what the bank knows."""
    lesson = course.lessons.find(standing.assignment)
    released = [cell.text for cell in standing.released.cells.values() if cell.cell_type == "code"]
    known: dict[str, Any] = {
        name: known_hashes([*released, *(case.text for case in (cases_of(lesson, name) if lesson is not None else ()))])
        for name in standing.released.exercises
    }
    prints: dict[str, dict[str, Print]] = {}
    graded = [one.student.id for one in standing.students if one.so_far is not None]
    with progress("reading answers", len(graded)) as step:
        for student in graded:
            cells = cells_of(course, standing.released, student)
            for name in standing.released.exercises:
                if text := answer_in(cells, name):
                    prints.setdefault(name, {})[student] = fingerprint(text, known[name])
            step()
    return prints


def _shown(pair: Pair, prints: Mapping[str, Mapping[str, Print]], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a pair as the template shows it: the exercises in which they are alike, side by side."""
    sides = []
    for exercise, share in sorted(pair.shares.items(), key=lambda item: -item[1]):
        one, other = prints[exercise][pair.one], prints[exercise][pair.other]
        places = alike(one, other)
        sides.append(
            {
                "exercise": exercise,
                "share": share,
                "one": marked(one.text, places[0]),
                "other": marked(other.text, places[1]),
            }
        )
    who = [
        f"{student} ({names[student]})" if names[student] != student else student for student in (pair.one, pair.other)
    ]
    return {"one": who[0], "other": who[1], "total": pair.total, "shared": pair.shared, "sides": sides}
