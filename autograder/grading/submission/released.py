"""The released notebooks: the cells that nbgrader manages, and the experiments."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.content import notebook as notebooks
from autograder.content.lesson import Lessons, exercises_with_variants
from autograder.content.notebook import checked_exercise, defined
from autograder.grading.course import Course


@dataclass(frozen=True)
class ReleasedCell:
    """A cell of the released notebook that nbgrader manages."""

    name: str
    cell_type: str
    locked: bool
    text: str
    checksum: str
    grade: bool
    solution: bool
    task: bool
    points: float

    def metadata(self) -> dict[str, Any]:
        """Return the metadata that nbgrader gave the cell."""
        marks: dict[str, Any] = {
            "schema_version": 3,
            "grade_id": self.name,
            "grade": self.grade,
            "solution": self.solution,
            "task": self.task,
            "locked": self.locked,
            "cell_type": self.cell_type,
            "checksum": self.checksum,
        }
        if self.grade or self.task:
            marks["points"] = self.points
        return {"nbgrader": marks}

    @property
    def exercise(self) -> str | None:
        """The exercise that the cell checks, if it does nothing else."""
        return checked_exercise(self.text) if self.cell_type == "code" and self.grade and not self.solution else None

    @functools.cached_property
    def defines(self) -> frozenset[str]:
        """The functions and classes with stubs in a solution cell."""
        return defined(self.text) if self.cell_type == "code" and self.solution else frozenset()


@dataclass(frozen=True)
class Released:
    """The managed cells of one notebook, in order.

    ``experiments`` holds the fingerprints of its experiments, and ``before`` the text of the cell before each written
    question; both are empty if only the gradebook is known.
    """

    assignment: str
    notebook: str
    cells: Mapping[str, ReleasedCell]
    experiments: frozenset[str] = frozenset()
    before: Mapping[str, str] = field(default_factory=dict)
    lessons: Lessons = field(default_factory=Lessons)

    @property
    def handed_in(self) -> tuple[str, ...]:
        """The names of the files handed in with the notebook."""
        lesson = self.lessons.find(self.assignment)
        return lesson.handed_in if lesson else ()

    @functools.cached_property
    def optional(self) -> frozenset[str]:
        """The names of optional graded cells: checks of optional exercises, and optional questions."""
        lesson = self.lessons.find(self.assignment)
        left_out = lesson.optional if lesson else frozenset()
        graded = [cell for cell in self.cells.values() if cell.grade or cell.task]
        return frozenset(cell.name for cell in graded if (cell.exercise or cell.name) in left_out)

    @property
    def variants(self) -> tuple[str, ...]:
        """The exercises with individual numbers for each student."""
        lesson = self.lessons.find(self.assignment)
        return exercises_with_variants(lesson) if lesson else ()

    @property
    def exercises(self) -> list[str]:
        """The exercises that its cells check, in order."""
        return [cell.exercise for cell in self.cells.values() if cell.exercise]


def from_notebook(assignment: str, name: str, notebook: Mapping[str, Any], lessons: Lessons) -> Released:
    """Read the released cells from the notebook itself."""
    cells: dict[str, ReleasedCell] = {}
    experiments, before, previous = set(), {}, ""
    for cell in notebook["cells"]:
        marks = cell.get("metadata", {}).get("nbgrader", {})
        text = notebooks.source(cell)
        if grade_id := notebooks.grade_id(cell):
            cells[grade_id] = ReleasedCell(
                grade_id,
                cell["cell_type"],
                bool(marks.get("locked")),
                text,
                str(marks.get("checksum", "")),
                bool(marks.get("grade")),
                bool(marks.get("solution")),
                bool(marks.get("task")),
                float(marks.get("points", 0.0)),
            )
            if cells[grade_id].solution and cells[grade_id].cell_type != "code":
                before[grade_id] = previous
        elif mark := notebooks.experiment_mark(cell):
            experiments.add(mark)
        previous = text
    return Released(assignment, name, cells, frozenset(experiments), before, lessons)


def from_gradebook(db_url: str, assignment: str, notebook: Path, lessons: Lessons) -> Released:
    """Read the managed cells from the gradebook, and the rest from the released notebook if it exists.

    Raises nbgrader's MissingEntry if the gradebook does not have the notebook.
    """
    from nbgrader.api import Gradebook

    name = notebook.stem
    with Gradebook(db_url) as gradebook:
        entry = gradebook.find_notebook(name, assignment)
        points = {cell.name: cell.max_score for cell in (*entry.grade_cells, *entry.task_cells)}
        grades, solutions, tasks = (
            {cell.name for cell in cells} for cells in (entry.grade_cells, entry.solution_cells, entry.task_cells)
        )
        cells = {
            cell.name: ReleasedCell(
                cell.name,
                cell.cell_type,
                bool(cell.locked),
                cell.source,
                cell.checksum,
                cell.name in grades,
                cell.name in solutions,
                cell.name in tasks,
                float(points.get(cell.name, 0.0)),
            )
            for cell in entry.source_cells
        }
    try:
        from_release = from_notebook(assignment, name, notebooks.read(notebook), lessons)
    except (OSError, ValueError):
        from_release = Released(assignment, name, {})
    return Released(assignment, name, cells, from_release.experiments, from_release.before, lessons)


def released_in(course: Course, assignment: str, lessons: Lessons | None = None) -> Released:
    """Return the released notebook of an assignment. Raises LookupError if it has not been built.

    Its content comes from ``lessons``, by default the course's own.
    """
    paths = sorted((course.release / assignment).glob("*.ipynb"))
    if len(paths) != 1:
        course.require(assignment)
        raise LookupError(f"There is no released notebook in {course.release / assignment}. Build it: autograder build")
    return complete(from_notebook(assignment, paths[0].stem, notebooks.read(paths[0]), lessons or course.lessons))


def complete(released: Released) -> Released:
    """Add missing check cells to a notebook, so that every exercise is checked."""
    cells = dict(released.cells)
    lesson = released.lessons.of(released.assignment)
    for name in lesson.exercises:
        if name not in released.exercises:
            points = lesson.points(name)
            cells[f"check-{name}"] = ReleasedCell(
                f"check-{name}", "code", True, f'check("{name}")', "", True, False, False, points
            )
    return replace(released, cells=cells)
