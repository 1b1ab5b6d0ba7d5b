"""Build a lesson's notebooks, the one for nbgrader and the one for students, from its source.

``solutions/<assignment>/<name>.py`` becomes ``<name>.ipynb`` beside it. nbgrader's own ``generate_assignment`` turns that
into ``assignments/<assignment>/<name>.ipynb``. Rebuilds are byte-identical.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.lay_out import NBGRADER_CONFIG
from autograder.authoring.leaks import leaked_lines
from autograder.grading.course import Course


class BuildError(Exception):
    """The reason why a lesson must not be released."""


@dataclass(frozen=True)
class Built:
    """The two notebooks of one lesson, as text, with their target paths."""

    assignment: str
    solution_path: Path
    solution: str
    release_path: Path
    release: str


def build(course: Course, source: Path) -> Built:
    """Build one lesson from its source without writing anything. Raises BuildError if it must not be released."""
    # Imported here because it takes seconds, during which other processes can load PyTorch.
    import nbformat

    from autograder.authoring.lesson_source import solution_notebook
    from autograder.authoring.source_rules import SourceError

    assignment = source.parent.name
    try:
        solution = nbformat.writes(solution_notebook(course, source)) + "\n"
    except SourceError as error:
        raise BuildError(str(error)) from None
    release = _release(course, assignment, source.stem, solution)
    lines = leaked_lines(solution, release)
    if lines:
        raise BuildError("The release holds lines of the solution:\n" + "\n".join(lines))
    return Built(
        assignment,
        source.with_suffix(".ipynb"),
        solution,
        course.release / assignment / f"{source.stem}.ipynb",
        release,
    )


def differences(built: Built) -> Iterator[str]:
    """Yield a line for each built file that is missing or out of date."""
    for path, text in ((built.solution_path, built.solution), (built.release_path, built.release)):
        if not path.exists():
            yield f"{path} is missing."
        elif path.read_text(encoding="utf8") != text:
            yield f"{path} is not what its source builds."
    if built.release_path.parent.exists():
        yield from (
            f"{p} does not belong there." for p in built.release_path.parent.iterdir() if p != built.release_path
        )


def write(built: Built) -> None:
    """Write both notebooks, and remove all other files from the release folder."""
    shutil.rmtree(built.release_path.parent, ignore_errors=True)
    built.release_path.parent.mkdir(parents=True)
    built.solution_path.write_text(built.solution, encoding="utf8")
    built.release_path.write_text(built.release, encoding="utf8")


def _release(course: Course, assignment: str, name: str, solution: str) -> str:
    """Run nbgrader's generate_assignment in an empty course and return the released notebook."""
    from nbgrader.apps import NbGraderAPI
    from nbgrader.preprocessors import SaveCells
    from traitlets.config import PyFileConfigLoader

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "solutions" / assignment).mkdir(parents=True)
        (root / "solutions" / assignment / f"{name}.ipynb").write_text(solution, encoding="utf8")
        (root / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf8")
        settings = PyFileConfigLoader("nbgrader_config.py", folder).load_config()
        # The gradebook of an empty course would be discarded, and takes nbgrader seconds to set up.
        settings.GenerateAssignment.no_database = True
        settings.GenerateAssignment.preprocessors.remove(SaveCells)
        outcome = NbGraderAPI(config=settings).generate_assignment(assignment, force=True, create=True)
        if not outcome["success"]:
            raise BuildError(f"nbgrader could not make the release:\n{outcome.get('error', '')}\n{outcome['log']}")
        return (root / "assignments" / assignment / f"{name}.ipynb").read_text(encoding="utf8")
