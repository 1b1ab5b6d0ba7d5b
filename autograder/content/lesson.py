"""The content of a lesson, found by name: its settings, checks, references, known answers, marks and variants.

A course keeps its lessons in one package, such as ``autograder.lessons``. An assignment ``02-multi-head-attention`` belongs to
the package's ``multi_head_attention``. Exercise names are local to a lesson: two lessons may use the same one.
"""

import functools
import importlib
import importlib.util
import random
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.content import packed
from course_lib import variants

packed.find_packed_modules()


def exercise(name: str) -> pytest.MarkDecorator:
    """Mark a check as part of the exercise ``name``: the name of the function or class that the student writes."""
    return pytest.mark.exercise(name)


def points(value: float) -> pytest.MarkDecorator:
    """Set the points of a check. A check worth 0 points is advice: it is shown only when it fails."""
    return pytest.mark.points(value)


#: Marks a check that measures time or memory. The diagnosis does not run it again on known wrong answers.
measured = pytest.mark.measured

#: Marks the check of an exercise that a broken promise (:mod:`autograder.runtime.promises`) costs, in whichever check it shows.
promises = pytest.mark.promises


def mark_value(check: Callable[..., Any], name: str, default: Any = None) -> Any:
    """Return the first argument of the check's mark ``name`` (True for a mark without arguments), or ``default``."""
    marks = (mark for mark in getattr(check, "pytestmark", ()) if mark.name == name)
    return next((mark.args[0] if mark.args else True for mark in marks), default)


#: The package of the built-in lessons.
OWN = "autograder.lessons"

#: Packages that this process has loaded from a course's folder; all others are installed.
_FROM_ROOT: set[str] = set()
_ONE_AT_A_TIME = threading.RLock()  # the threads of a class run load the same lessons


def package_of(assignment: str) -> str:
    """Return the name of an assignment's package: ``02-multi-head-attention`` → ``multi_head_attention``."""
    return assignment.partition("-")[2].replace("-", "_")


@dataclass(frozen=True)
class Lessons:
    """The lessons of a course: the name of their ``package``, and the folder ``root`` that contains it if it is not installed."""

    package: str = OWN
    root: str = ""

    def load(self) -> ModuleType:
        """Import the package, replacing another course's package of the same name. Raises LookupError if it does not exist."""
        file = Path(self.root, self.package, "__init__.py")
        with _ONE_AT_A_TIME:
            loaded = sys.modules.get(self.package)
            if loaded is not None and not self._is_of_another(loaded, file):
                return loaded
            for name in [name for name in [*sys.modules] if f"{name}.".startswith(f"{self.package}.")]:
                del sys.modules[name]
            if self.root and file.is_file():
                return _load_from(file, self.package)
            try:
                return importlib.import_module(self.package)
            except ModuleNotFoundError as error:
                if error.name is None or not f"{self.package}.".startswith(f"{error.name}."):
                    raise  # the package exists, but one of its imports is missing
        raise LookupError(
            f"There is no package {self.package!r} with the course's lessons: it is neither installed nor the folder "
            f"{file.parent}. Expected a folder with __init__.py, or another name in pyproject.toml, [tool.autograder]."
        )

    def _is_of_another(self, loaded: ModuleType, file: Path) -> bool:
        """Return whether a loaded package is another course's: neither the ``file`` of this course nor an installed package."""
        if not self.root or loaded.__file__ == str(file):
            return False
        return Path(str(loaded.__file__)).resolve() != file.resolve() if file.is_file() else self.package in _FROM_ROOT

    @property
    def folder(self) -> Path:
        return Path(str(self.load().__file__)).resolve().parent

    def names(self) -> list[str]:
        """Return the names of the lessons' packages."""
        return sorted(path.parent.name for path in self.folder.glob("*/__init__.py"))

    @property
    def renamed(self) -> Mapping[str, tuple[str, ...]]:
        """The old names of assignments, each with its new names: ``RENAMED`` of the package."""
        try:
            return getattr(self.load(), "RENAMED", {})
        except LookupError:
            return {}

    def current(self, assignment: str) -> str:
        """Return the current name of an assignment; if it was split, that of its first part."""
        return self.renamed.get(assignment, (assignment,))[0]

    def all_names(self, assignment: str) -> list[str]:
        """Return the name of an assignment and its old names, under any of which it may have been submitted."""
        return [assignment, *(old for old, new in self.renamed.items() if assignment in new)]

    def has(self, assignment: str) -> bool:
        """Return whether an assignment has content. An assignment added by a teacher may have only its own assertions."""
        return package_of(self.current(assignment)) in self.names()

    def find(self, assignment: str) -> "Lesson | None":
        """Return the content of an assignment, or None if there is none."""
        return self.of(assignment) if self.has(assignment) else None

    def of(self, assignment: str) -> "Lesson":
        """Return the content of an assignment. Raises LookupError if there is none."""
        if not self.has(assignment):
            names = [name.replace("_", "-") for name in self.names()]
            near = assignment.replace("_", "-")
            name = near if near in names else names[0] if names else "name"
            raise LookupError(
                f"There is no lesson {assignment!r}. Write its number and its name, as in the name of its folder: NN-{name}. "
                f"The names are {', '.join(names)}."
            )
        assignment = self.current(assignment)
        return Lesson(assignment, self, package_of(assignment))

    def containing(self, exercise: str) -> list["Lesson"]:
        """Return the lessons with an exercise of this name; their ``assignment`` is the package's name."""
        return [lesson for lesson in self.all() if exercise in lesson.exercises]

    def all(self) -> list["Lesson"]:
        """Return all lessons; their ``assignment`` is the package's name."""
        return [Lesson(name, self, name) for name in self.names()]


def _load_from(file: Path, package: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(package, file, submodule_search_locations=[str(file.parent)])
    assert spec is not None and spec.loader is not None, file  # noqa: PT018 a Python file always has both
    sys.modules[package] = module = importlib.util.module_from_spec(spec)
    _FROM_ROOT.add(package)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Lesson:
    """The content of one ``assignment``: the package ``name`` among the ``lessons``."""

    assignment: str
    lessons: Lessons
    name: str

    @property
    def package(self) -> str:
        return f"{self.lessons.package}.{self.name}"

    @property
    def folder(self) -> Path:
        return self.lessons.folder / self.name

    @property
    def settings(self) -> ModuleType:
        """The module with EXERCISES, OPTIONAL, FORBIDDEN, HANDED_IN and BUILDS_ON."""
        return self.module("")

    @property
    def exercises(self) -> tuple[str, ...]:
        """The names of the exercises, in the order of the lesson."""
        return tuple(self.settings.EXERCISES)

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The dotted names of forbidden functions, classes and packages; a package stands for all its definitions."""
        return tuple(self.settings.FORBIDDEN)

    def forbidden_in(self, exercise: str) -> tuple[str, ...]:
        """Return the names forbidden in an exercise: the lesson's, and those of functions that would solve it ready-made."""
        by_exercise: dict[str, tuple[str, ...]] = getattr(self.settings, "FORBIDDEN_IN", {})
        return self.forbidden + by_exercise.get(exercise, ())

    def libraries_in(self, exercise: str) -> tuple[str, ...] | None:
        """Return the libraries that an exercise may import besides PyTorch and the course's own; None for any library.

        The empty name stands for an exercise without its own settings.
        """
        forbids = self.forbidden or getattr(self.settings, "FORBIDDEN_IN", {})
        by_exercise: dict[str, tuple[str, ...]] = getattr(self.settings, "LIBRARIES_IN", {})
        return by_exercise.get(exercise, ()) if forbids else None

    @property
    def handed_in(self) -> tuple[str, ...]:
        """The names of the files to hand in with the notebook."""
        return self.settings.HANDED_IN

    @property
    def optional(self) -> frozenset[str]:
        """The optional parts: exercises, written questions by the names of their cells, and submitted files."""
        return frozenset(getattr(self.settings, "OPTIONAL", ()))

    def builds_on(self, exercise: str) -> tuple[str, ...]:
        """Return the earlier exercises that an exercise may call."""
        return self.settings.BUILDS_ON.get(exercise, ())

    def module(self, name: str) -> ModuleType:
        """Import a module of the lesson, such as ``references``, or the package itself."""
        self.lessons.load()
        return importlib.import_module(f"{self.package}.{name}".rstrip("."))

    def has(self, name: str) -> bool:
        """Return whether the lesson has a module of this name."""
        return packed.read_text(self.folder / f"{name}.py", self.folder) is not None

    def check_file(self, exercise: str) -> Path:
        """Return the file with the checks of an exercise. Raises LookupError if the lesson has no exercise of this name."""
        path = self.folder / "checks" / f"check_{exercise}.py"
        if exercise not in self.exercises or not path.is_file():
            missing = f"exercise {exercise!r}" if exercise not in self.exercises else f"file {path} with its checks"
            raise LookupError(
                f"{self.assignment}: there is no {missing}. Expected one of: {', '.join(self.exercises)}."
            )
        return path

    def checks(self, exercise: str) -> dict[str, Callable[..., Any]]:
        """Return the checks of an exercise by name, in file order."""
        module = self.module(f"checks.{self.check_file(exercise).stem}")
        functions = {name: function for name, function in vars(module).items() if name.startswith("check_")}
        return {name: check for name, check in functions.items() if mark_value(check, "exercise") == exercise}

    def measures(self, exercise: str) -> bool:
        """Return whether a check of the exercise measures time or memory."""
        return any(mark_value(check, "measured") for check in self.checks(exercise).values())

    def points(self, exercise: str) -> float:
        """Return the points of an exercise: the sum over its checks."""
        return _points(self, exercise)

    @property
    def symptom(self) -> Callable[..., Any] | None:
        """The lesson's function that recognises symptoms in a wrong result (see :mod:`autograder.diagnosis.symptoms`)."""
        name = getattr(self.settings, "SYMPTOMS", None)
        return importlib.import_module(name).symptom if name else None


@functools.cache
def _points(lesson: Lesson, exercise: str) -> float:
    return float(sum(mark_value(check, "points", 0) for check in lesson.checks(exercise).values()))


#: The message to a student who has not set an id.
WHO_ARE_YOU = (
    "The numbers of this exercise are each student's own, and this notebook does not know who you are: "
    'run variants.i_am("your id"), and then the cells that draw them.'
)


def exercises_with_variants(lesson: Any) -> tuple[str, ...]:
    """Return the exercises that the lesson's VARIANTS names. Raises LookupError if one is not in EXERCISES."""
    names = tuple(getattr(lesson.settings, "VARIANTS", ()))
    if unknown := [name for name in names if name not in lesson.exercises]:
        exercises = ", ".join(lesson.exercises)
        raise LookupError(f"VARIANTS of {lesson.package} names {unknown[0]!r}. Expected some of: {exercises}.")
    return names


def unknown_student(lesson: Any, exercise: str) -> str:
    """Return the message to a student who has not set an id; empty if the exercise does not depend on it."""
    return WHO_ARE_YOU if exercise in exercises_with_variants(lesson) and not variants.student() else ""


def takes_variant(check: Callable[..., Any]) -> bool:
    """Return whether a check depends on the student's own numbers."""
    return "variant" in check.__code__.co_varnames[: check.__code__.co_argcount]


def variant_of(check: Callable[..., Any], who: str) -> random.Random:
    """Return the generator of a student's own numbers, as the notebook of the id ``who`` has it, for the exercise of a check."""
    return variants.numbers(mark_value(check, "exercise"), who)


def require_variant(check: Callable[..., Any], lesson: Any) -> None:
    """Raise LookupError if VARIANTS does not name the exercise of a check that takes ``variant``."""
    if (exercise := mark_value(check, "exercise")) not in exercises_with_variants(lesson):
        raise LookupError(f"{check.__name__} takes variant, but VARIANTS of {lesson.package} lacks {exercise!r}.")
