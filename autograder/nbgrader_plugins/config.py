"""nbgrader's settings for this course, for ``nbgrader_config.py``, the build and the demo."""

import os
import sys
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
    from nbgrader.preprocessors import ClearOutput, ClearSolutions, Execute

    from autograder.grading.course import Course
    from autograder.nbgrader_plugins.collect import CollectWhole
    from autograder.nbgrader_plugins.export import SafeCsv
    from autograder.nbgrader_plugins.feedback import Explain
    from autograder.nbgrader_plugins.hidden import HideTests
    from autograder.nbgrader_plugins.install import install
    from autograder.nbgrader_plugins.running import RunningCells
    from autograder.nbgrader_plugins.stubs import SentenceStubs

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

    given = GenerateAssignment.preprocessors.default_args[0]
    c.GenerateAssignment.preprocessors = [SentenceStubs if p is ClearSolutions else p for p in given]
    # Metadata and outputs are restored from the gradebook, and the cells have already run when nbgrader sees them.
    given = Autograde.sanitize_preprocessors.default_args[0]
    c.Autograde.sanitize_preprocessors = [p for p in given if p is not ClearOutput]
    given = Autograde.autograde_preprocessors.default_args[0]
    c.Autograde.autograde_preprocessors = [p for p in given if p is not Execute]
    c.GenerateFeedback.preprocessors = [HideTests, Explain]
    c.GenerateFeedback.force = True  # otherwise a student's page stays outdated after a regrade or manual marking
    install()
    # Feedback and formgrader show students' text without running it. The filters are named, not imported, for the other commands.
    c.HTMLExporter.filters = FILTERS
    c.HTMLExporter.sanitize_html = True  # every HTML output passes the filter clean_html, and JavaScript is dropped
    c.WidgetsDataTypeFilter.display_data_priority = ["text/html", "image/png", "image/jpeg", "text/plain"]

    # For `nbgrader validate`, the only command that still runs cells this way: a long timeout for busy machines, and progress.
    c.Execute.timeout = 1800
    c.Execute.startup_timeout = 300
    c.Execute.iopub_timeout = 60
    c.Execute.on_cell_start = RunningCells()

    c.ExportApp.plugin_class = SafeCsv
    c.SafeCsv.to = str(grading / "grades.csv")


def _find_commands_of_this_environment() -> None:
    """Put this environment's commands on PATH, even if it is not activated: nbgrader runs ``alembic`` by name."""
    here = str(Path(sys.executable).parent)
    if here not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", "")])
