"""Where things lie in a checkout of the course."""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

#: What stands in the ``nbgrader_config.py`` of a course made for a demonstration or a test.
NBGRADER_CONFIG = """\
from pathlib import Path

from autograder.nbgrader_plugins.config import configure

configure(get_config(), Path(__file__).resolve().parent)
"""


@dataclass(frozen=True)
class Course:
    """A course root: the folder that holds ``nbgrader_config.py`` and ``solutions/``."""

    root: Path

    @property
    def label(self) -> str:
        """A short name for this course's processes in the system's list of them, which tells nothing of its path."""
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

    @property
    def repository(self) -> str:
        """The address of the repository, from ``pyproject.toml``, the one place where it stands."""
        settings = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf8"))
        return settings["project"]["urls"]["Repository"]

    def sources(self) -> list[Path]:
        """Return the sources of the lessons, ``solutions/<assignment>/<notebook>.py``, in order."""
        return sorted(self.solutions.glob("[0-9]*/*.py"))

    def solution_notebook(self, assignment: str) -> Path:
        """Return the solution notebook of an assignment. Raises LookupError when there is none."""
        found = sorted((self.solutions / assignment).glob("*.ipynb"))
        if len(found) != 1:
            known = ", ".join(sorted({path.parent.name for path in self.sources()}))
            raise LookupError(f"There is no solution notebook for {assignment!r}. There is one for: {known}.")
        return found[0]


def find_course(start: Path | None = None) -> Course:
    """Return the course that ``start`` (default: the current folder) lies in. Raises LookupError outside a course."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "nbgrader_config.py").exists() and (folder / "solutions").is_dir():
            return Course(folder)
    raise LookupError(
        f"{start} is not inside a checkout of the course. Expected a folder with nbgrader_config.py and solutions/. "
        "Go to the folder that you cloned, and run the command there."
    )
