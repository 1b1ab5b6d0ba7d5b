"""nbgrader's settings for this course, for ``nbgrader_config.py``, the build and the demo."""

import functools
import glob
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Files that programs create beside a notebook, which nobody else gets: the history of checks is the student's own.
BY_PROGRAMS = ["__pycache__", "*.pyc", ".ipynb_checkpoints", ".pytest_cache", ".autograder"]

#: Files of a lesson's folder that are not released: above all the source with the solutions, and files that students hand in
#: themselves. Submissions are collected and read regardless of this list.
NOT_RELEASED = ["*.py", "*.safetensors", "*.md", *BY_PROGRAMS]

_PAGES = "autograder.nbgrader_plugins.pages"

#: Replacements for nbconvert's filters, by their names in its templates.
FILTERS = {
    "markdown2html": f"{_PAGES}.markdown",
    "highlight_code": f"{_PAGES}.code",
    "ansi2html": f"{_PAGES}.text",
    "clean_html": f"{_PAGES}.html",
    "strip_files_prefix": f"{_PAGES}.unchanged",
}


def configure(c: Any, root: Path, course_id: str = "") -> None:
    """Set up nbgrader's configuration ``c`` for the course in ``root``; ``course_id`` is its name in the gradebook."""
    from nbgrader.converters import Autograde, GenerateAssignment
    from nbgrader.preprocessors import ClearOutput, ClearSolutions, Execute, SaveCells

    from autograder.grading.course import Course
    from autograder.nbgrader_plugins.collect import CollectWhole
    from autograder.nbgrader_plugins.export import SafeCsv
    from autograder.nbgrader_plugins.feedback import Explain
    from autograder.nbgrader_plugins.preprocessors import HideTests, SaveCellsAgain, SentenceStubs

    _find_commands_of_this_environment()
    grading = root / "grading"
    grading.mkdir(parents=True, exist_ok=True)
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.course_id = course_id
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "assignments"
    for step in ("submitted", "autograded", "feedback"):
        setattr(c.CourseDirectory, f"{step}_directory", f"grading/{step}")
    c.CourseDirectory.db_url = f"sqlite:///{grading / 'gradebook.db'}"
    handed_in = {name for lesson in Course(root).lessons.all() for name in lesson.handed_in}
    c.CourseDirectory.ignore = [*NOT_RELEASED, *sorted(handed_in)]
    c.ExchangeFactory.collect = CollectWhole
    c.CollectWhole.not_collected = BY_PROGRAMS
    c.NbGrader.logfile = str(grading / "nbgrader.log")

    defaults = GenerateAssignment.preprocessors.default_args[0]
    c.GenerateAssignment.preprocessors = [
        {ClearSolutions: SentenceStubs, SaveCells: SaveCellsAgain}.get(p, p) for p in defaults
    ]
    # Metadata and outputs are restored from the gradebook, and the cells have already run when nbgrader sees them.
    defaults = Autograde.sanitize_preprocessors.default_args[0]
    c.Autograde.sanitize_preprocessors = [p for p in defaults if p is not ClearOutput]
    defaults = Autograde.autograde_preprocessors.default_args[0]
    c.Autograde.autograde_preprocessors = [p for p in defaults if p is not Execute]
    c.GenerateFeedback.preprocessors = [HideTests, Explain]
    c.GenerateFeedback.force = True  # otherwise a student's page stays outdated after a regrade or manual marking
    install()
    _show_text_without_running_it(c)
    # For `nbgrader validate`, the only command that still runs cells this way: a long timeout for busy machines, and progress.
    c.Execute.timeout = 1800
    c.Execute.startup_timeout = 300
    c.Execute.iopub_timeout = 60
    c.Execute.on_cell_start = RunningCells()
    c.ExportApp.plugin_class = SafeCsv
    c.SafeCsv.to = str(grading / "grades.csv")


def _show_text_without_running_it(c: Any) -> None:
    """Set the filters for pages. They are named, not imported, so that other commands start faster."""
    c.HTMLExporter.filters = FILTERS
    c.HTMLExporter.sanitize_html = True  # every HTML output passes the filter clean_html, and JavaScript is dropped
    c.WidgetsDataTypeFilter.display_data_priority = ["text/html", "image/png", "image/jpeg", "text/plain"]


def _find_commands_of_this_environment() -> None:
    """Put this environment's commands on PATH, even if it is not activated: nbgrader runs ``alembic`` by name."""
    here = str(Path(sys.executable).parent)
    if here not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", "")])


#: Minimum number of seconds between two messages.
_EVERY = 5.0


class RunningCells:
    """A hook called before each cell runs, which prints the current cell on standard error from time to time."""

    def __init__(self) -> None:
        self.reported = 0.0

    def __call__(self, cell: Any, cell_index: int) -> None:
        now = time.monotonic()
        if cell.cell_type == "code" and now - self.reported >= _EVERY:
            self.reported = now
            name = cell.metadata.get("nbgrader", {}).get("grade_id") or next(iter(cell.source.splitlines()), "")[:40]
            print(f"running cell {cell_index + 1} ({name}) …", file=sys.stderr, flush=True)


def install() -> None:
    """Patch nbgrader where it has no setting, to grade with this course's converter, also from formgrader.

    Loads no PyTorch: only grading does.
    """
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp
    from nbgrader.converters import GenerateFeedback
    from nbgrader.coursedir import CourseDirectory

    from autograder.grading.gradebook.nbgrader import SealedAutograde
    from autograder.nbgrader_plugins.feedback import CourseFeedback

    api.Autograde = autogradeapp.Autograde = SealedAutograde
    api.GenerateFeedback = generatefeedbackapp.GenerateFeedback = CourseFeedback
    if not hasattr(CourseDirectory.get_existing_timestamp, "__wrapped__"):
        CourseDirectory.get_existing_timestamp = _ignore_invalid_time_stamps(CourseDirectory.get_existing_timestamp)
        GenerateFeedback.init_notebooks = _take_ids_literally(GenerateFeedback.init_notebooks)


def _ignore_invalid_time_stamps(original: Callable[..., Any]) -> Callable[..., Any]:
    """Ignore invalid time stamps: nbgrader aborts the whole run at an unreadable one, and blocks on a pipe."""

    @functools.wraps(original)
    def get_existing_timestamp(self: Any, dest_path: str) -> Any:
        path = Path(dest_path, "timestamp.txt")
        if (
            path.is_symlink()
            or (path.exists() and not path.is_file())
            or (path.is_file() and path.stat().st_size > 200)
        ):
            self.log.warning("Not a time stamp, and ignored: %s", path)
            return None
        try:
            return original(self, dest_path)
        except (SystemExit, Exception) as error:
            self.log.warning("A time stamp that cannot be read is ignored: %s (%s)", path, error)
            return None

    return get_existing_timestamp


def _take_ids_literally(original: Callable[..., None]) -> Callable[..., None]:
    """Take a student's id literally: nbgrader reads brackets in it as a pattern, and finds no notebook in that folder."""

    @functools.wraps(original)
    def init_notebooks(self: Any) -> None:
        pattern = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        literal = self._format_source(self.coursedir.assignment_id, glob.escape(self.coursedir.student_id))
        places = set(glob.glob(pattern)) | set(glob.glob(literal))
        notebooks_in = {
            place: glob.glob(f"{glob.escape(place)}/{self.coursedir.notebook_id}.ipynb") for place in sorted(places)
        }
        self.notebooks, self.assignments = [], {place: books for place, books in notebooks_in.items() if books}
        if not self.assignments:
            original(self)  # reports what is missing

    return init_notebooks
