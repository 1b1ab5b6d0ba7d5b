"""The rules for a lesson's source. A violation is one sentence with lesson, cell and file."""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.numbers import TAG
from autograder.authoring.optional_parts import optional_cells, pieces
from autograder.authoring.slow_cells import quick_cells
from autograder.authoring.workload import plan
from autograder.content.lesson import Lesson
from autograder.content.notebook import bound_names, checked_exercise, defined, grade_id, names_needed

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

_SECTION = re.compile(r"^#{2,4} (\d+(?:\.\d+)*)(?=\s)", re.MULTILINE)
_EXERCISE = re.compile(r"^\*\*Exercise (\d+)(?: \(optional\))?\.?\*\*", re.MULTILINE)
_QUESTION = re.compile(r"#+ Written question \d+")
_HOURS = re.compile(
    r"\bPlan\s+about\s+[\w\s]+?\s+hours?\b(?:;\s+the\s+optional\s+parts\s+take\s+about\s+[\w\s]+?\s+more\b)?"
)
#: A control character that a lost backslash leaves (\v, \a, \f …), or a doubled backslash before the name of a symbol.
_BROKEN_SYMBOL = re.compile(r"[\x00-\x08\x0b-\x1f]\w*|\\\\[A-Za-z]+")
_CALL = re.compile(r"\bcheck\(\s*[\"'](\w*)[\"']")


class SourceError(Exception):
    """The reasons, with their locations, for which a source must not be built."""


@dataclass(frozen=True)
class Source:
    """A lesson's source: its file, its cells in order, and its content (None if it has only assertions of its own)."""

    path: Path
    cells: Sequence[Any]
    lesson: Lesson | None

    def problems(self) -> Iterator[str]:
        """Yield the problems of the source, one sentence each."""
        for rule in _RULES:
            for number, sentence in rule(self):
                yield f"{self.place(number)}: {sentence}" if number is not None else sentence

    def place(self, number: int) -> str:
        """Name a cell in a sentence: by its number, and its grade_id or first line."""
        name = grade_id(self.cells[number]) or f"{self.cells[number].source[:30].splitlines()[0]} …"
        return f"cell {number + 1} ({name})"

    def marks(self, number: int) -> dict[str, Any]:
        return self.cells[number].metadata.get("nbgrader", {})

    def solutions(self) -> Iterator[int]:
        """Yield the code cells that students complete."""
        for number, cell in enumerate(self.cells):
            if cell.cell_type == "code" and self.marks(number).get("solution"):
                yield number

    def checks(self) -> Iterator[tuple[int, str | None]]:
        """Yield the check cells of a lesson with content, each with the exercise that it checks, or None."""
        for number, cell in enumerate(self.cells):
            if cell.cell_type == "code" and self.marks(number).get("grade") and not self.marks(number).get("solution"):
                yield number, checked_exercise(cell.source)


Problems = Iterator[tuple[int | None, str]]


def require_fit(source: Source) -> None:
    """Raise SourceError, with one line per problem, unless the source may be built."""
    if problems := list(source.problems()):
        raise SourceError("\n".join(problems))


def _names(source: Source) -> Problems:
    """Require a unique grade_id for every nbgrader cell, by which nbgrader identifies it."""
    counts = Counter(grade_id(cell) for cell in source.cells)
    for number, cell in enumerate(source.cells):
        if "nbgrader" in cell.metadata and not grade_id(cell):
            yield number, "it has nbgrader metadata without a grade_id; give it one."
        elif grade_id(cell) and counts[grade_id(cell)] > 1:
            yield (
                number,
                f"the grade_id {grade_id(cell)!r} occurs {counts[grade_id(cell)]} times; each cell needs its own.",
            )


def _symbols(source: Source) -> Problems:
    """Refuse text in which an editor lost or doubled a backslash: a symbol would not be shown."""
    for number, cell in enumerate(source.cells):
        if cell.cell_type == "markdown" and (match := _BROKEN_SYMBOL.search(cell.source)):
            yield (
                number,
                f"it holds {match[0]!r}; write the name of a symbol after one backslash, in a text that begins with r.",
            )


def _markers(source: Source) -> Problems:
    """Require two markers around text that students must not see, in a solution cell."""
    solutions = set(source.solutions())
    for number, cell in enumerate(source.cells):
        begun, ended = cell.source.count(BEGIN), cell.source.count(END)
        if begun != ended:
            yield number, f"it has {begun} lines {BEGIN!r} and {ended} lines {END!r}; each region needs both."
        elif begun and cell.cell_type == "code" and number not in solutions:
            yield number, f'it holds {BEGIN!r}, but is not marked "solution": true; students would see the solution.'
        elif not begun and number in solutions and source.lesson is not None:
            yield number, f"it is a solution without {BEGIN!r} and {END!r}; all of it would be handed out as a stub."


def _checks(source: Source) -> Problems:
    """Require a check cell to check an exercise of the lesson, below the cell where it is written."""
    if source.lesson is None:
        return
    exercises = source.lesson.exercises
    for number, name in source.checks():
        exercise = name or (_CALL.search(source.cells[number].source) or [None, None])[1]
        if exercise is None and source.marks(number).get("points") is None:
            yield (
                number,
                f'it is graded but checks no exercise; expected check("NAME") with one of: {", ".join(exercises)}.',
            )
        elif exercise is not None and exercise not in exercises:
            similar = difflib.get_close_matches(exercise, exercises, 1)
            suggestion = f"did you mean {similar[0]!r}?" if similar else f"there are: {', '.join(exercises)}."
            yield number, f"it checks {exercise!r}, which is not in EXERCISES of {source.lesson.package}; {suggestion}"
        elif name and (cell_number := _solution_cell(source, name)) is not None and cell_number > number:
            yield number, f"it comes before cell {cell_number + 1}, which defines {name}; put the check after it."


def _solution_cell(source: Source, name: str) -> int | None:
    return next((n for n in source.solutions() if name in defined(source.cells[n].source)), None)


def _exercises(source: Source) -> Problems:
    """Require for every exercise a solution cell of its name, a check cell, checks and points."""
    lesson = source.lesson
    if lesson is None:
        return
    checked = {name for _, name in source.checks()}
    for name in lesson.exercises:
        cell_number = _solution_cell(source, name)
        if cell_number is None:
            yield None, f"there is no solution cell that defines {name}, which is in EXERCISES of {lesson.package}."
        elif grade_id(source.cells[cell_number]) != name:
            yield cell_number, f"its grade_id is not the name of the exercise that it defines; expected {name!r}."
        if name not in checked:
            yield (
                cell_number,
                f'the exercise {name} has no check cell; expected a cell with check("{name}") and "grade": true.',
            )
        yield from ((None, problem) for problem in _points(lesson, name))
    for number in source.solutions():
        name = grade_id(source.cells[number])
        if (lesson.folder / "checks" / f"check_{name}.py").is_file() and name not in lesson.exercises:
            yield number, f"the exercise {name} is not in EXERCISES of {lesson.package}; add it there."


def _points(lesson: Lesson, name: str) -> Iterator[str]:
    path = lesson.folder / "checks" / f"check_{name}.py"
    if not path.is_file():
        yield f"there is no file {path} with the checks of {name}."
    elif not lesson.checks(name):
        yield f'no function in {path} is a check of {name}; expected def check_…, marked @exercise("{name}").'
    elif not lesson.points(name):
        yield f"the checks in {path} give no points; expected @points(…) on at least one."


def _numbers(source: Source) -> Problems:
    """Require unique section numbers and exercise numbers."""
    for kind, pattern in (("section", _SECTION), ("exercise", _EXERCISE)):
        first_cell: dict[str, int] = {}
        for number, cell in enumerate(source.cells):
            for heading in pattern.findall(cell.source) if cell.cell_type == "markdown" else ():
                if heading in first_cell:
                    yield number, f"there is a second {kind} {heading}; the first is in cell {first_cell[heading] + 1}."
                first_cell.setdefault(heading, number)


def _hours(source: Source) -> Problems:
    """Require the hours that a lesson states, for its core and its optional parts, to be the sum over its source."""
    right = plan(source.cells)
    for number, cell in enumerate(source.cells):
        stated = _HOURS.search(cell.source) if cell.cell_type == "markdown" else None
        if stated and " ".join(stated[0].split()) != right:
            yield (
                number,
                f"it says {' '.join(stated[0].split())!r}, and its text, exercises and experiments add up to {right!r}.",
            )


def _optional(source: Source) -> Problems:
    """Require every optional exercise and question to be marked as such, and the core to need no optional part."""
    for number, of_cell in enumerate(pieces(source.cells)):
        for piece in of_cell:
            kind = _EXERCISE.match(piece.text) or _QUESTION.match(piece.text)
            if kind and piece.optional and not piece.named and source.cells[number].cell_type == "markdown":
                name = kind[0].strip("#* .")
                yield number, f"{name} is in an optional part; write (optional) after its number."
    optional = optional_cells(source.cells)
    left_out: dict[str, int] = {}  # names as they were last bound in an optional cell
    for number, cell in enumerate(source.cells):
        if cell.cell_type != "code" or TAG in cell.metadata.get("tags", []):
            continue
        bound, _ = bound_names(cell.source)
        if optional[number]:
            left_out |= dict.fromkeys(bound, number)
            continue
        for name in sorted(names_needed(cell.source) & left_out.keys()):
            yield number, f"it uses {name} as the optional {source.place(left_out[name])} binds it."
        left_out = {name: place for name, place in left_out.items() if name not in bound}
    if source.lesson is not None:
        yield from _optional_exercises(source, source.lesson, optional)
        yield from _optional_settings(source, source.lesson, optional)


def _optional_exercises(source: Source, lesson: Lesson, optional: Sequence[bool]) -> Problems:
    """Require an exercise and its check to be optional together, marked so in the first table, and needed by no core exercise."""
    kinds = {name: optional[number] for number, name in source.checks() if name}
    for name in lesson.exercises:
        number, is_optional = _solution_cell(source, name), kinds.get(name)
        if number is not None and is_optional not in (None, optional[number]):
            yield number, f"one of the exercise {name} and its check is optional, and the other is not."
        needed = [] if is_optional else [earlier for earlier in lesson.builds_on(name) if kinds.get(earlier)]
        if needed:
            yield number, f"the exercise {name} builds on {needed[0]}, which is optional."
        row = re.search(rf"^\|.*`{name}`( \(optional\))?", source.cells[0].source, re.MULTILINE)
        if row is not None and is_optional is not None and bool(row[1]) != is_optional:
            yield (
                0,
                f"its table says that {name} is {'core' if is_optional else 'optional'}, and its heading says the opposite.",
            )


def _optional_settings(source: Source, lesson: Lesson, optional: Sequence[bool]) -> Problems:
    """Require OPTIONAL to list the parts marked in headings: exercises, questions, and files used only by optional cells."""
    marked = [name for number, name in source.checks() if name and optional[number]]
    for number, cell in enumerate(source.cells):
        if cell.cell_type == "markdown" and source.marks(number).get("grade") and optional[number]:
            marked.append(grade_id(cell))
    for name in lesson.handed_in:
        mentions = [o for cell, o in zip(source.cells, optional, strict=True) if _mentions(cell, name)]
        if mentions and all(mentions):
            marked.append(name)
    if lesson.optional != set(marked):
        yield None, f"OPTIONAL of {lesson.package} is not what the headings mark as optional; expected {tuple(marked)}."


def _mentions(cell: Any, file_name: str) -> bool:
    return cell.cell_type == "code" and TAG not in cell.metadata.get("tags", []) and file_name in cell.source


def _slow(source: Source) -> Problems:
    """Require every exercise and check to work without slow cells: the notebook must pass when these are left out."""
    for number, (cell, quick) in enumerate(zip(source.cells, quick_cells(source.cells), strict=True)):
        if grade_id(cell) and cell.source != quick.source:
            yield (
                number,
                "it is tagged slow, or uses a name of a cell that is; move what it needs to a cell without the tag.",
            )


_RULES: tuple[Callable[[Source], Problems], ...] = (
    _names,
    _symbols,
    _markers,
    _checks,
    _exercises,
    _numbers,
    _hours,
    _optional,
    _slow,
)
