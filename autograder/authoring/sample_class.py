"""A lesson's sample class: submissions made of known answers, each with its expected score."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.lay_out import NBGRADER_CONFIG, folder_of, lay_out
from autograder.checks.properties import Pupil
from autograder.content import notebook as notebooks
from autograder.content.known_answers import cases_of
from autograder.content.lesson import Lesson
from autograder.grading.course import Course

_MARKER = "made-by-autograder-demo"


def sample_lesson(source: Course) -> Lesson:
    """Return the first lesson of a course with a sample class. Raises LookupError if none has one."""
    found = [
        lesson for name in source.assignments if (lesson := source.lessons.find(name)) and lesson.has("sample_class")
    ]
    if not found:
        raise LookupError("No lesson of this course has a sample_class.py, which says who hands in what.")
    return found[0]


def pupils(lesson: Lesson, students: Sequence[str] = ()) -> Sequence[Pupil]:
    """Return the sample class, or those ``students`` of it. Raises LookupError if one is not in it."""
    everyone: dict[str, Pupil] = {pupil.name: pupil for pupil in lesson.module("sample_class").CLASS}
    if unknown := [name for name in students if name not in everyone]:
        raise LookupError(f"There is no {unknown[0]!r} in the sample class. Expected one of: {', '.join(everyone)}.")
    return [everyone[name] for name in students or everyone]


def expected(lesson: Lesson, pupil: Pupil) -> float | None:
    """Return the points that a submission should earn, or None if it needs a person."""
    if pupil.kind in ("missing", "corrupt"):
        return None
    if pupil.kind == "release":
        return 0.0
    return sum(lesson.points(name) for name in lesson.exercises) - sum(pupil.lost.values())


def make_class(
    source: Course, root: Path, trust: bool, students: Sequence[str] = ()
) -> tuple[Course, Lesson, Sequence[Pupil]]:
    """Create a course with the submissions of the class in a folder, which may hold an earlier demo: it is emptied.

    Returns the course, the lesson, and the class: all pupils, or those ``students``.
    """
    if root.exists() and any(root.iterdir()) and not (root / _MARKER).exists():
        raise ValueError(
            f"{root} exists and was not made by an earlier demo. Choose another folder with --folder, or remove it."
        )
    lesson = sample_lesson(source)
    chosen = pupils(lesson, students)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    (root / _MARKER).touch()
    more = "get_config().SealedAutograde.trust_submissions = True\n" if trust else ""
    course = lay_out(source, root, [lesson.assignment], NBGRADER_CONFIG + more, release=False)
    for pupil in chosen:
        _hand_in(course, source, lesson, pupil)
    return course, lesson, chosen


def _hand_in(course: Course, source: Course, lesson: Lesson, pupil: Pupil) -> None:
    place = folder_of(course, pupil.name, lesson.assignment)
    solution = source.solution_notebook(lesson.assignment)
    released = source.release / lesson.assignment / solution.name
    if pupil.kind == "missing":
        (place / "notes.txt").write_text("I could not find my notebook.\n", encoding="utf8")
    elif pupil.kind == "corrupt":
        (place / solution.name).write_bytes(released.read_bytes()[:5000])
    else:
        notebook = notebooks.read(released)
        if pupil.kind != "release":
            _fill_in(notebook, notebooks.read(solution), lesson, pupil)
        (place / solution.name).write_text(json.dumps(notebook), encoding="utf8")


def _fill_in(notebook: dict, solution: dict, lesson: Lesson, pupil: Pupil) -> None:
    """Write the pupil's answers into the released notebook."""
    known = {str(case): case.text for name in pupil.answers for case in cases_of(lesson, name)}
    answers = {notebooks.grade_id(cell): notebooks.source(cell) for cell in solution["cells"]}
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        cell["source"] = answers[name] if cell["cell_type"] == "code" else f"An answer by {pupil.name}."
        if name in pupil.answers:
            cell["source"] = known[f"{lesson.assignment}/{name}/{pupil.answers[name]}"]
        if pupil.kind == "syntax error" and name in pupil.lost:
            cell["source"] = cell["source"].replace("):", ")", 1)
