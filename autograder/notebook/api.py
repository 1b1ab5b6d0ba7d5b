"""``check``, ``progress`` and ``hand_in`` for a notebook cell."""

import inspect
import os
from collections.abc import Callable
from typing import Any

from autograder.notebook.errors import UserError, unknown_name

#: The function or class object that earned full points in this notebook, by lesson and exercise.
_passed: dict[tuple[str, str], Any] = {}

#: The last question of :func:`practice` on each exercise.
_last_question: dict[str, Any] = {}


def check_of(package: str) -> Callable[..., float]:
    """Return the ``check`` of a lesson's package, for ``from autograder.lessons.NAME import check``."""

    def check(exercise: str, seed: int | None = None) -> float:
        """Check one exercise of this notebook, show the table, and return the points.

        ``exercise`` is the name of the function or class that you wrote. Inputs are redrawn on each call; pass the ``seed``
        that a table shows to repeat them. The result is a float, so that nbgrader reads the cell as partial credit.
        Raises LookupError for a name that is not an exercise of this lesson.
        """
        from autograder.content.lesson import Lesson, Lessons

        lessons, _, name = package.rpartition(".")
        return _check(Lesson(name, Lessons(lessons), name), exercise, seed)

    vars(check)["package"] = package  # by which progress() and hand_in() know the lesson
    return check


def check(exercise: str, seed: int | None = None) -> float:
    """Check one exercise of this notebook, from any of the built-in lessons; see :func:`check_of`.

    Raises LookupError if no lesson has it, or more than one.
    """
    return _check(_lesson_of(exercise), exercise, seed)


def practice(exercise: str, letter: str = "", *, seed: int | None = None) -> Any:
    """Ask a small question about an exercise whose check you have passed: which of these results is right? It does not count.

    A ``letter`` answers the last question about the exercise. Another ``seed`` gives another question. In grading, none is asked.
    Raises LookupError if no lesson has the exercise, if its check has not been passed in this notebook, if its results are too
    large to compare by eye, or if a letter is given before a question.
    """
    from course_lib.live import in_live_notebook

    if not in_live_notebook():
        return None
    from autograder.notebook.practice import draw
    from autograder.runtime.seeds import fresh_seed

    lesson = _passed_lesson(exercise, "practice", "Practice comes after passing")
    if letter:
        if exercise not in _last_question:
            raise UserError(f'Nothing has been asked yet. Run practice("{exercise}") first.')
        return _last_question[exercise].answer(letter.strip().lower())
    _last_question[exercise] = draw(lesson, exercise, fresh_seed() if seed is None else seed)
    return _last_question[exercise]


def model_answer(exercise: str) -> Any:
    """Show a right answer to an exercise whose check you have passed, to compare with yours. Other answers are right, too.

    In grading it shows nothing. Raises LookupError if no lesson has the exercise, or if its check has not given all points in
    this notebook.
    """
    from course_lib.live import in_live_notebook

    if not in_live_notebook():
        return None
    from IPython.display import Code

    from autograder.content.known_answers import entries_of

    lesson = _passed_lesson(exercise, "model_answer", "A model answer is shown after your own")
    answer = next(entry for entry in entries_of(lesson, exercise) if entry.right)
    return Code(f"# {answer.hint}\n{answer.text}", language="python")


def _passed_lesson(exercise: str, call: str, why: str) -> Any:
    """Return the lesson of an exercise whose check has given all points in this notebook, or raise LookupError with ``why``.

    ``call``: the name of the called function, for the message about an unknown exercise.
    """
    from autograder.notebook.history import History

    lesson = _lesson_of(exercise, call)
    if not any(entry.full for entry in History(".", lesson.name).entries() if entry.exercise == exercise):
        raise UserError(f'{why}: run check("{exercise}") until it gives all points.')
    return lesson


def _lesson_of(exercise: str, call: str = "check") -> Any:
    """Return the built-in lesson that has an exercise of this name; raise LookupError if none has it, or more than one."""
    from autograder.content.lesson import Lessons

    lessons = Lessons()
    lessons_with_it = lessons.containing(exercise)
    if not lessons_with_it:
        raise UserError(unknown_name(exercise, [name for lesson in lessons.all() for name in lesson.exercises], call))
    if len(lessons_with_it) > 1:
        several = " or ".join(f"from {lesson.package} import check" for lesson in lessons_with_it)
        raise UserError(f"There is an exercise {exercise!r} in more than one lesson. Say which: {several}.")
    return lessons_with_it[0]


def progress(assignment: str = "", lessons: str | None = None) -> Any:
    """Show your progress in a lesson: what is done, what is left, and whether it is saved.

    Nothing is run, and nothing leaves this machine. ``assignment`` is a name such as ``01-attention``; the default is that of
    this notebook. ``lessons`` is the package of another course's lessons. During grading, nothing is shown. Raises LookupError
    for an unknown assignment, or if none is given and the notebook does not name one.
    """
    from course_lib.live import in_live_notebook

    if not in_live_notebook():
        return None
    from autograder.notebook.session import progress_panel

    return progress_panel(_lesson(assignment, lessons, "progress"), _caller())


def hand_in(assignment: str = "", lessons: str | None = None) -> None:
    """Make the file to hand in, beside this notebook, and show what will be graded. Save the notebook first.

    ``assignment`` and ``lessons``: as for :func:`progress`. Raises LookupError for an unknown assignment, FileNotFoundError if
    the notebook's file cannot be found.
    """
    from course_lib.live import in_live_notebook

    if not in_live_notebook():
        return
    from autograder.notebook.session import hand_in_here, progress_panel

    lesson = _lesson(assignment, lessons, "hand_in")
    hand_in_here(lesson, progress_panel(lesson, _caller()).progress.unsaved)


def _lesson(assignment: str, lessons: str | None, call: str) -> Any:
    """Return the lesson of an assignment; by default, that of this notebook. ``call``: the name of the called function."""
    from autograder.content.lesson import OWN, Lessons
    from autograder.notebook.session import assignments_here

    package = getattr(_caller().get("check"), "package", "")
    known = Lessons(lessons or package.rpartition(".")[0] or OWN)
    if not isinstance(assignment, str):
        raise UserError(f'Expected the name of a lesson, in quotes: {call}("01-attention").')
    if not assignment:
        candidates = assignments_here(known, package.rpartition(".")[2])
        if len(candidates) != 1:
            names = " or ".join(f'{call}("{name}")' for name in candidates) or f'for example {call}("01-attention")'
            raise UserError(
                f"This notebook does not say which lesson it is. Write its name between the brackets: {names}."
            )
        [assignment] = candidates
    try:
        return known.of(assignment)
    except LookupError as error:
        raise UserError(str(error)) from None


def _check(lesson: Any, exercise: str, seed: int | None) -> float:
    if exercise not in lesson.exercises:
        elsewhere = (
            [other.package for other in lesson.lessons.containing(exercise)] if isinstance(exercise, str) else []
        )
        more = f" It belongs to another lesson: from {elsewhere[0]} import check." if elsewhere else ""
        raise UserError(unknown_name(exercise, lesson.exercises) + more)
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise UserError(f'Expected a whole number as seed, such as check("{exercise}", seed=1729), but got {seed!r}.')
    from autograder.checks.execute import NotebookStudent
    from autograder.content.lesson import unknown_student
    from autograder.notebook.session import FileRecorder, Points, record_report, show_progress
    from autograder.runtime.limits import check_timeout
    from autograder.runtime.locations import misnamed_in, redefined_in
    from autograder.verdict.runner import run_checks

    names, files = _caller(), FileRecorder()
    # When a later exercise fails, exercises that passed and have not changed since need no second check.
    full = {name: True for (where, name), thing in _passed.items() if where == lesson.name and names.get(name) is thing}
    with show_progress(exercise, len(lesson.checks(exercise))) as replace:
        try:
            with check_timeout():
                report = run_checks(exercise, NotebookStudent(names, lesson, file=files), seed, full)
        except KeyboardInterrupt as error:
            replace("")
            raise NotebookStopped(exercise, error) from None
        if report.full_with_own_answers:
            _passed[lesson.name, exercise] = names.get(exercise)
        misnamed = misnamed_in(exercise, names, lesson.exercises) if report.unwritten and not report.missing else ""
        notes = redefined_in(exercise, names), misnamed, unknown_student(lesson, exercise), report.note
        report.note = " ".join(part for part in notes if part)
        record_report(lesson, report, names, files.seen)
        replace(report)
    if os.environ.get("NBGRADER_VALIDATING") and not report.full:  # nbgrader would call 0 points "partial credit"
        raise CheckFailed(report)
    return Points(min(max(report.earned, 0.0), report.points))


class CheckFailed(Exception):
    """Raised in ``nbgrader validate`` for an exercise without full points, with the reason in a few words."""

    def __init__(self, report: Any):
        if report.unwritten:
            first = next(result.failure for result in report.results if result.failure)
            why = first.message
        else:
            causes = f" Likely cause: {', '.join(report.named)}." if report.named else ""
            failed = sum(not result.passed for result in report.results if result.points)
            why = f"{report.score}; {failed} properties fail.{causes}"
        super().__init__(f"{report.exercise}: {why} Run its check in the notebook to see the table.")

    def _render_traceback_(self) -> list[str]:  # called by IPython
        return [str(self)]


class NotebookStopped(KeyboardInterrupt):
    """An interrupted check. The notebook shows the line of the student's code that was running, without the check's frames."""

    def __init__(self, exercise: str, error: BaseException):
        from autograder.runtime.locations import location

        super().__init__(f"You stopped the check of {exercise}{location(error)}")

    def _render_traceback_(self) -> list[str]:  # called by IPython
        return [str(self)]


def _caller() -> dict[str, Any]:
    """Return the names of the notebook or module that called ``check``."""
    from autograder.runtime.locations import kernel_shell

    shell = kernel_shell()
    if shell is not None:
        return shell.user_ns
    frame = inspect.currentframe()
    while frame and frame.f_globals.get("__name__", "").startswith("autograder."):
        frame = frame.f_back
    return frame.f_globals if frame else {}
