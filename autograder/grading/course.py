"""The locations of files in a checkout of the course."""

import functools
import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.content.lesson import Lessons


@dataclass(frozen=True)
class Course:
    """A course root: the folder that holds ``nbgrader_config.py`` and ``solutions/``."""

    root: Path

    @property
    def label(self) -> str:
        """A short label for this course's processes in the process list, which does not reveal the path."""
        return f"course-{hashlib.sha256(str(self.root.resolve()).encode()).hexdigest()[:12]}"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def release(self) -> Path:
        return self.root / "assignments"

    @property
    def grading(self) -> Path:
        return self.root / "grading"

    @functools.cached_property
    def _settings(self) -> dict[str, Any]:
        """The content of ``pyproject.toml``; empty if there is none."""
        try:
            return tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf8"))
        except FileNotFoundError:
            return {}

    @property
    def lessons(self) -> Lessons:
        """The package of the course's lessons: ``lessons`` in ``[tool.autograder]``, or else the built-in lessons."""
        package = self._settings.get("tool", {}).get("autograder", {}).get("lessons")
        return Lessons() if package is None else Lessons(package, str(self.root.resolve()))

    @property
    def package(self) -> str:
        """The name under which pip installs the course."""
        return self._settings.get("project", {}).get("name", "")

    @property
    def repository(self) -> str | None:
        """The address of the repository, defined only in ``pyproject.toml``; None if it is not set."""
        return self._settings.get("project", {}).get("urls", {}).get("Repository")

    def sources(self) -> list[Path]:
        """Return the sources of the lessons, ``solutions/<assignment>/<notebook>.py``, in order."""
        return sorted(self.solutions.glob("[0-9]*/*.py"))

    @property
    def assignments(self) -> list[str]:
        """The assignments that have a source, in order."""
        return [source.parent.name for source in self.sources()]

    @property
    def gradable(self) -> list[str]:
        """The assignments that a class can submit, in order, including released ones with a source elsewhere."""
        released = (notebook.parent.name for notebook in self.release.glob("[0-9]*/*.ipynb"))
        return sorted({*self.assignments, *released})

    def require(self, assignment: str) -> None:
        """Raise LookupError, with the names of those that there are, if the course has no such assignment."""
        written = (
            {path.name for path in self.solutions.iterdir() if path.is_dir()} if self.solutions.is_dir() else set()
        )
        if assignment not in {*self.gradable, *written}:
            names = ", ".join(self.gradable) or f"(none is in {self.solutions} or {self.release})"
            raise LookupError(f"There is no assignment {assignment!r}. Expected one of: {names}.")

    def source_of(self, assignment: str) -> Path:
        """Return the source of an assignment. Raises LookupError if there is none."""
        for source in self.sources():
            if source.parent.name == assignment:
                return source
        raise LookupError(f"There is no source for {assignment!r}. There is one for: {', '.join(self.assignments)}.")

    def solution_notebook(self, assignment: str) -> Path:
        """Return the solution notebook of an assignment. Raises LookupError if there is none."""
        paths = sorted((self.solutions / assignment).glob("*.ipynb"))
        if len(paths) != 1:
            names = ", ".join(self.assignments)
            raise LookupError(f"There is no solution notebook for {assignment!r}. There is one for: {names}.")
        return paths[0]


def find_course(start: Path | None = None) -> Course:
    """Return the course that contains ``start`` (default: the current folder). Raises LookupError outside a course.

    A hand-in may imitate a course, so nothing in the ``grading`` folder of a course counts as one.
    """
    start = (start or Path.cwd()).resolve()
    courses = [
        Course(folder)
        for folder in (start, *start.parents)
        if (folder / "nbgrader_config.py").exists() and (folder / "solutions").is_dir()
    ]
    for course in courses:
        if not any(course.root.is_relative_to(outer.grading) for outer in courses):
            return course
    raise LookupError(
        f"{start} is not inside a checkout of the course. Expected a folder with nbgrader_config.py and solutions/. "
        "Go to the folder that you cloned, and run the command there."
    )
