"""Patches where nbgrader has no setting: replace its converter, and make two of its methods robust."""

import functools
import glob
from collections.abc import Callable
from pathlib import Path
from typing import Any


def install() -> None:
    """Make nbgrader grade with this course's converter, also from formgrader. Loads no PyTorch: only grading does."""
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp
    from nbgrader.converters import GenerateFeedback
    from nbgrader.coursedir import CourseDirectory

    from autograder.grading.gradebook.nbgrader import SealedAutograde
    from autograder.nbgrader_plugins.feedback import CourseFeedback

    api.Autograde = autogradeapp.Autograde = SealedAutograde
    api.GenerateFeedback = generatefeedbackapp.GenerateFeedback = CourseFeedback
    if not hasattr(CourseDirectory.get_existing_timestamp, "__wrapped__"):
        CourseDirectory.get_existing_timestamp = _forgiving(CourseDirectory.get_existing_timestamp)
        GenerateFeedback.init_notebooks = _to_the_letter(GenerateFeedback.init_notebooks)


def _forgiving(original: Callable[..., Any]) -> Callable[..., Any]:
    """Ignore invalid time stamps: nbgrader aborts the whole run at an unreadable one, and blocks at a pipe."""

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


def _to_the_letter(original: Callable[..., None]) -> Callable[..., None]:
    """Treat a student's id literally: nbgrader parses brackets in it as a pattern, and finds no notebook in that folder."""

    @functools.wraps(original)
    def init_notebooks(self: Any) -> None:
        pattern = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        literal = self._format_source(self.coursedir.assignment_id, glob.escape(self.coursedir.student_id))
        places = set(glob.glob(pattern)) | set(glob.glob(literal))
        found = {
            place: glob.glob(f"{glob.escape(place)}/{self.coursedir.notebook_id}.ipynb") for place in sorted(places)
        }
        self.notebooks, self.assignments = [], {place: books for place, books in found.items() if books}
        if not self.assignments:
            original(self)  # reports what is missing

    return init_notebooks
