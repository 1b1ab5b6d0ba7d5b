"""List the known answers to an exercise, each mistake as a diff."""

import os
from collections.abc import Sequence

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from autograder.content.known_answers import cases_of, entries_of
from autograder.content.lesson import Lesson
from autograder.grading.course import Course


def list_answers(course: Course, exercise: str, assignment: str | None, names: Sequence[str]) -> None:
    """Print the known answers to an exercise: the bases and ``names`` as text, the others as diffs.

    Raises LookupError if no lesson has the exercise, if more than one has it and ``assignment`` does not select one, or if a
    name is not one of its answers.
    """
    lesson = _lesson(course, exercise, assignment)
    names_known = {case.name for case in cases_of(lesson, exercise)}
    if unknown := [name for name in names if name not in names_known]:
        raise LookupError(
            f"{exercise} has no known answer {unknown[0]!r}. There are: {', '.join(sorted(names_known))}."
        )
    console = Console(width=None if os.isatty(1) else 120)
    entry_of = {(entry.name, entry.right): entry for entry in entries_of(lesson, exercise)}
    for case in cases_of(lesson, exercise):
        if names and case.name not in names:
            continue
        entry = entry_of.get((case.name, case.right))
        in_full = entry is None or entry.base is None or bool(names)
        head = Text(
            f"{'right' if case.right else 'wrong'}  {case.name}", style="bold green" if case.right else "bold red"
        )
        console.print(head)
        for text in filter(None, (case.hint, case.why)):
            console.print(text, markup=False, highlight=False, soft_wrap=True)
        text_shown = case.text if in_full or entry is None else entry.diff()
        console.print(
            Syntax(text_shown.rstrip(), "python" if in_full else "diff", background_color="default", word_wrap=True)
        )
        console.print()


def _lesson(course: Course, exercise: str, assignment: str | None) -> Lesson:
    lessons = [candidate for name in course.gradable if (candidate := course.lessons.find(name))]
    matching = [
        lesson for lesson in lessons if exercise in lesson.exercises and assignment in (None, lesson.assignment)
    ]
    if len(matching) == 1:
        return matching[0]
    if matching:
        choices = " or ".join(f"--lesson {lesson.assignment}" for lesson in matching)
        raise LookupError(f"More than one lesson has an exercise {exercise!r}. Say which: {choices}.")
    exercises = [name for lesson in lessons for name in lesson.exercises if assignment in (None, lesson.assignment)]
    raise LookupError(f"There is no exercise {exercise!r}. Expected one of: {', '.join(exercises)}.")
