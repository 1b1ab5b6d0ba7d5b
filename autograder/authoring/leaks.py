"""Find text of the solution in files for students."""

import contextlib
import functools
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import NamedTuple

from autograder.content import notebook
from autograder.content.known_answers import cases_of
from autograder.content.notebook import Cell, source
from autograder.grading.course import Course

#: Characters. Shorter lines, such as ``return Y, A``, may legitimately occur in a docstring or in the prose.
_SHORTEST = 16


def solution_lines(cell: Cell) -> list[str]:
    """Return the lines of a solution cell that a student has to write: those inside its regions, or all if it has none."""
    text = source(cell)
    if "### BEGIN SOLUTION" not in text:
        return [line.strip() for line in text.splitlines()]
    lines, inside = [], False
    for line in text.splitlines():
        if "### BEGIN SOLUTION" in line:
            inside = True
        elif "### END SOLUTION" in line:
            inside = False
        elif inside:
            lines.append(line.strip())
    return lines


def leaked_lines(solution: str, released: str) -> list[str]:
    """Return the lines of the answers in a solution notebook (JSON text) that occur in a released file."""
    secrets = [
        line
        for cell in json.loads(solution)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
        for line in solution_lines(cell)
        if len(line) >= _SHORTEST
    ]
    return [
        line
        for line in dict.fromkeys(secrets)
        if line in released or json.dumps(line, ensure_ascii=False)[1:-1] in released
    ]


#: Three lines of code in a row, without their indentation and without blank lines.
Run = tuple[str, str, str]

#: Characters of three lines together. Shorter runs, such as three arguments, may occur in any code.
_SHORTEST_RUN = 40


def runs_in(text: str) -> Iterator[Run]:
    """Yield every run of three consecutive lines of a text."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    for run in zip(lines, lines[1:], lines[2:], strict=False):
        if sum(map(len, run)) >= _SHORTEST_RUN:
            yield run


class Answers(NamedTuple):
    """A secret answer: its exercise, and the modules that offer it ready-made to other lessons and are blocked in its own."""

    exercise: str
    ready_made: tuple[str, ...]

    def offered_in(self, name: str) -> bool:
        """Return whether the file ``name`` is one of the modules that offer the answer."""
        module = name.removesuffix(".py").replace("/", ".")
        return any(f"{module}.".startswith(f"{package}.") for package in self.ready_made)


def answer_runs(course: Course) -> dict[Run, set[Answers]]:
    """Return the exercises of each run of lines of a right answer, known or in a solution. Lines of a release are not secret."""
    released_runs: set[Run] = set()
    secret: dict[Run, set[Answers]] = {}
    for assignment in course.assignments:
        lesson = course.lessons.of(assignment)
        for path in (course.release / assignment).glob("*.ipynb"):
            released_runs |= {run for cell in notebook.read(path)["cells"] for run in runs_in(source(cell))}
        answers = [(name, case.text) for name in lesson.exercises for case in cases_of(lesson, name) if case.right]
        for cell in notebook.read(course.solution_notebook(assignment))["cells"]:
            about = cell["metadata"].get("nbgrader", {})
            if about.get("solution") and cell["cell_type"] == "code":
                answers.append((about["grade_id"], "\n".join(solution_lines(cell))))
        for name, text in answers:
            for run in runs_in(text):
                secret.setdefault(run, set()).add(Answers(name, _ready_made(lesson.forbidden_in(name))))
    return {run: names for run, names in secret.items() if run not in released_runs}


@functools.cache
def _ready_made(forbidden: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules of the course's library that define a forbidden function."""
    objects = [pkgutil.resolve_name(name) for name in forbidden if name.startswith("course_lib.")]
    return tuple(obj.__name__ if isinstance(obj, ModuleType) else obj.__module__ for obj in objects)


def answers_in(secret: Mapping[Run, set[Answers]], name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield (exercise, first line) for each exercise with three consecutive lines of an answer in the file ``name``."""
    first_lines: dict[str, str] = {}
    for run in runs_in(_code_in(name, data)):
        for answers in secret.get(run, ()):
            if not answers.offered_in(name):
                first_lines.setdefault(answers.exercise, run[0])
    yield from first_lines.items()


def _code_in(name: str, data: bytes) -> str:
    """Return the code in a file: a notebook's cells, known answers' lines without their marks; empty for other data."""
    try:
        text = data.decode("utf8")
    except UnicodeDecodeError:
        return ""
    if name.endswith(".ipynb"):
        with contextlib.suppress(ValueError, LookupError, TypeError):  # else it is read as it stands
            return "\n".join(source(cell) for cell in json.loads(text)["cells"])
    return re.sub(r"^\|", "", text, flags=re.MULTILINE) if name.endswith(".diff") else text
