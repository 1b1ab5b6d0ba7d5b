"""``check`` for a notebook cell: for one lesson, or for the lesson that has an exercise of that name."""

import inspect
from collections.abc import Callable
from typing import Any

#: What has earned full points in this notebook: the function or class object, by lesson and exercise.
_passed: dict[tuple[str, str], Any] = {}


def check_of(package: str) -> Callable[..., float]:
    """Return ``check`` for a lesson, from its package: what ``from autograder.lessons.NAME import check`` imports."""

    def check(exercise: str, seed: int | None = None) -> float:
        """Check one exercise of this notebook, show the table, and return the points.

        ``exercise`` is the name of the function or class that you wrote. Inputs are redrawn on each call; pass the ``seed``
        that a table shows to repeat them. The result is a plain float, so that nbgrader reads the cell as partial
        credit.
        Raises LookupError for a name that is not an exercise of this lesson.
        """
        from autograder.judging.lesson import Lesson, Lessons

        lessons, _, name = package.rpartition(".")
        return _check(Lesson(name, Lessons(lessons), name), exercise, seed)

    return check


def check(exercise: str, seed: int | None = None) -> float:
    """Check one exercise of this notebook, from any of the built-in lessons; see :func:`check_of`.

    Raises LookupError if no lesson has it, or more than one.
    """
    from autograder.judging.lesson import Lessons

    lessons = Lessons()
    found = lessons.holding(exercise)
    if len(found) != 1:
        known = [name for lesson in lessons.all() for name in lesson.exercises]
        several = " or ".join(f"from {lesson.package} import check" for lesson in found)
        raise LookupError(
            f"There is an exercise {exercise!r} in more than one lesson. Say which: {several}."
            if found
            else f"There is no exercise {exercise!r}. Expected one of: {', '.join(known)}."
        )
    return _check(found[0], exercise, seed)


def _check(lesson: Any, exercise: str, seed: int | None) -> float:
    lesson.check_file(exercise)  # raises LookupError
    from autograder.judging.local import LocalStudent
    from autograder.judging.patience import patience
    from autograder.judging.places import newer_cell
    from autograder.judging.runner import run_checks

    names = _caller()
    # An exercise that passed and has not changed need not be checked again when a later exercise that uses it fails.
    full = {name: True for (where, name), thing in _passed.items() if where == lesson.name and names.get(name) is thing}
    replace = _show(f"Checking {exercise} …")
    try:
        with patience():
            report = run_checks(exercise, LocalStudent(names, lesson), seed, full)
    except KeyboardInterrupt as error:
        replace("")
        raise Stopped(exercise, error) from None
    if report.full_alone:
        _passed[lesson.name, exercise] = names.get(exercise)
    report.note = " ".join(part for part in (newer_cell(exercise, names), report.note) if part)
    replace(report)
    return min(max(report.earned, 0.0), report.points)


class Stopped(KeyboardInterrupt):
    """The check was interrupted. The notebook shows where the student's code was, not the frames of the check."""

    def __init__(self, exercise: str, error: BaseException):
        from autograder.judging.places import place

        super().__init__(f"You stopped the check of {exercise}{place(error)}")

    def _render_traceback_(self) -> list[str]:  # IPython asks for it
        return [str(self)]


def _caller() -> dict[str, Any]:
    """Return the names of the notebook or module that called ``check``."""
    shell = _shell()
    if shell is not None:
        return shell.user_ns
    frame = inspect.currentframe()
    while frame and frame.f_globals.get("__name__", "").startswith("autograder."):
        frame = frame.f_back
    return frame.f_globals if frame else {}


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _show(first: str) -> Callable[[Any], None]:
    """Show a line and return what puts another thing in its place. Outside a notebook only that is printed."""
    if _shell() is None:
        return lambda thing: print(thing) if thing else None
    from IPython.display import display

    handle = display({"text/plain": first}, raw=True, display_id=True)

    def replace(thing: Any) -> None:
        rich = getattr(thing, "_repr_html_", None)
        handle.update({"text/plain": str(thing)} | ({"text/html": rich()} if rich else {}), raw=True)

    return replace
