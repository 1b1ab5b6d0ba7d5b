"""Which assignments there are, which exercises they hold, and what each is worth."""

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder import notebooks
from autograder.marks import mark_value

CHECKS = Path(__file__).parent / "checks"


def package_of(assignment: str) -> str:
    """Return the name of the folder with an assignment's checks: ``02-multi-head-attention`` → ``multi_head_attention``."""
    return assignment.partition("-")[2].replace("-", "_")


def checks_folder(assignment: str) -> Path:
    """Return the folder that holds an assignment's checks. Raises LookupError when there is none."""
    folder = CHECKS / package_of(assignment)
    if not package_of(assignment) or not folder.is_dir():
        known = ", ".join(sorted(p.name for p in CHECKS.iterdir() if (p / "__init__.py").exists()))
        raise LookupError(f"There are no checks for the assignment {assignment!r}. There are checks for: {known}.")
    return folder


def has_checks(assignment: str) -> bool:
    """Whether this course has checks for an assignment; a teacher may add one with assertions of its own instead."""
    folder = package_of(assignment)
    return bool(folder) and (CHECKS / folder / "__init__.py").exists()


def lesson(assignment: str) -> ModuleType:
    """Return the module with an assignment's settings: EXERCISES, FORBIDDEN, HANDED_IN and BUILDS_ON."""
    return importlib.import_module(f"autograder.checks.{checks_folder(assignment).name}")


def forbidden(assignment: str) -> tuple[str, ...]:
    """Return the dotted names of the functions that an assignment does not allow."""
    return lesson(assignment).FORBIDDEN


def handed_in(assignment: str) -> tuple[str, ...]:
    """Return the names of the files that are handed in beside an assignment's notebook; none for one without checks."""
    return lesson(assignment).HANDED_IN if has_checks(assignment) else ()


def exercises(assignment: str) -> list[str]:
    """Return the names of an assignment's exercises, in the order of the lesson."""
    return list(lesson(assignment).EXERCISES)


def lesson_of(exercise: str) -> ModuleType:
    """Return the settings of the assignment that an exercise belongs to."""
    return importlib.import_module(f"autograder.checks.{check_file(exercise).parent.name}")


def builds_on(exercise: str) -> tuple[str, ...]:
    """Return the earlier exercises that an exercise may call."""
    return lesson_of(exercise).BUILDS_ON.get(exercise, ())


@functools.cache
def check_file(exercise: str) -> Path:
    """Return the file with the checks of an exercise. Raises LookupError for a name that is not an exercise."""
    found = sorted(CHECKS.glob(f"*/check_{exercise}.py"))
    if len(found) != 1:
        known = ", ".join(sorted(path.stem.removeprefix("check_") for path in CHECKS.glob("*/check_*.py")))
        raise LookupError(f"There is no exercise {exercise!r}. Expected one of: {known}.")
    return found[0]


def module_of(exercise: str) -> ModuleType:
    """Import and return the module with the checks of an exercise."""
    path = check_file(exercise)
    return importlib.import_module(f"autograder.checks.{path.parent.name}.{path.stem}")


def checks_of(exercise: str) -> dict[str, Callable[..., Any]]:
    """Return the checks of an exercise by name, in the order in which they stand."""
    module = module_of(exercise)
    return {
        name: thing
        for name, thing in vars(module).items()
        if name.startswith("check_") and mark_value(thing, "exercise") == exercise
    }


def points_of(exercise: str) -> float:
    """Return what an exercise is worth: the sum over its checks."""
    return float(sum(mark_value(check, "points", 0) for check in checks_of(exercise).values()))


def assignment_of(notebook: Path) -> str:
    """Return the assignment that a notebook belongs to, from its metadata or else from the folder that it lies in."""
    course = notebooks.read(notebook).get("metadata", {}).get("course", {})
    for name in (course.get("assignment", "") if isinstance(course, dict) else "", notebook.resolve().parent.name):
        if name and package_of(name) and (CHECKS / package_of(name)).is_dir():
            return name
    raise LookupError(
        f"It is not clear which assignment {notebook} belongs to. Expected a notebook of this course, in which "
        "metadata.course.assignment is set, or one in a folder named after its assignment, such as 01-attention."
    )
