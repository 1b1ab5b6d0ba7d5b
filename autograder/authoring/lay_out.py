"""Create a course in an empty folder from lessons of another, for the demo, benchmarks, attacks and tests."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.grading.course import Course

#: The default ``nbgrader_config.py`` of such a course.
NBGRADER_CONFIG = """\
from pathlib import Path

from autograder.nbgrader_plugins.config import configure

configure(get_config(), Path(__file__).resolve().parent)
"""


def lay_out(
    source: Course, root: Path, assignments: Sequence[str], config: str = NBGRADER_CONFIG, release: bool = True
) -> Course:
    """Create a course in ``root`` with the solutions of these assignments and, with ``release``, their releases."""
    for assignment in assignments:
        (root / "solutions" / assignment).mkdir(parents=True)
        shutil.copy(source.solution_notebook(assignment), root / "solutions" / assignment)
    (root / "nbgrader_config.py").write_text(config, encoding="utf8")
    if source.lessons.root:
        shutil.copy(source.root / "pyproject.toml", root)
        shutil.copytree(source.lessons.folder, root / source.lessons.package)
    for assignment in assignments if release else ():
        nbgrader(root, "generate_assignment", assignment)
    return Course(root)


def nbgrader(root: Path, *arguments: str) -> None:
    """Run an nbgrader command in a course. Raises CalledProcessError, with the command's output, if it fails."""
    command = [sys.executable, "-P", "-m", "nbgrader", *arguments]
    subprocess.run(command, cwd=root, capture_output=True, check=True)


def folder_of(course: Course, student: str, assignment: str) -> Path:
    """Create and return the folder in which a student hands in an assignment."""
    place = course.grading / "submitted" / student / assignment
    place.mkdir(parents=True)
    return place
