"""A student's notebook, found by the name of its lesson; and where the student stands in it."""

from collections.abc import Sequence
from pathlib import Path

from autograder.content import notebook
from autograder.grading.submission.belongs import lesson_of
from autograder.notebook.history import FOLDER, History
from autograder.notebook.panel import Panel
from autograder.notebook.standing import Work, standing

#: Where the notebook of a lesson may lie, seen from the current folder. What ``make lab`` opens comes before what was released.
_PLACES = ("", "{}", "work/{}", "../{}", "assignments/{}")


def progress_in(lessons: Sequence[str] = ()) -> str:
    """Return the panels of these lessons, or of all that are here, as text. Raises FileNotFoundError if there is none."""
    paths = [find_notebook(what) for what in lessons] or find_all()
    if not paths:
        raise FileNotFoundError(
            "There is no notebook of the course in this folder. Go to the folder with your notebooks, or give a path."
        )
    panels = {path: progress_of(path) for path in paths}
    begun = [path for path, panel in panels.items() if lessons or panel.begun]
    others = [f"{path}: not begun" for path in paths if path not in begun]
    return "\n\n".join([*(f"{path}\n{panels[path]}" for path in begun), *(["\n".join(others)] if others else [])])


def find_notebook(what: str) -> Path:
    """Return the notebook that a student means by its path, its folder, or the name of its lesson, such as ``01-attention``.

    Raises FileNotFoundError if there is none.
    """
    given = Path(what)
    if given.is_file():
        return given
    folders = [given] if given.is_dir() else []
    folders += [Path(place.format(what)) for place in _PLACES]
    name = given.name
    for folder in folders:
        for path in _newest_first(folder):
            if _belongs_to(path) == name or folder == given:
                return path
    places = ", ".join(str(folder) for folder in folders if str(folder) != ".")
    raise FileNotFoundError(
        f"There is no notebook of {what} here, nor in {places}. Give its path: autograder hand-in PATH/NOTEBOOK.ipynb"
    )


def find_all() -> list[Path]:
    """Return the notebooks of the course in the current folder, in its folders and in ``work``, one of each lesson."""
    found: dict[str, Path] = {}
    for folder in (
        Path(),
        Path("work"),
        *sorted(path for path in (*Path().iterdir(), *Path("work").glob("*")) if path.is_dir()),
    ):
        for path in _newest_first(folder):
            if folder.name not in ("assignments", "solutions") and (lesson := _belongs_to(path)):
                found.setdefault(lesson, path)
    return [found[lesson] for lesson in sorted(found)]


def progress_of(path: Path) -> Panel:
    """Return the panel of one notebook, from its file and the history of its checks; nothing is run."""
    lesson = lesson_of(path)
    cells = notebook.read(path)["cells"]
    work = Work(cells, path.parent, History(path.parent, lesson.name).entries())
    known = [] if work.entries else [f"No check has been run in this folder yet ({Path(path.parent, FOLDER)})."]
    return Panel(standing(lesson, work), known, f"To hand in: autograder hand-in {path}")


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.ipynb"), key=lambda path: path.stat().st_mtime, reverse=True)


def _belongs_to(path: Path) -> str:
    """Return the assignment of a notebook, empty if it is of no lesson."""
    try:
        return lesson_of(path).assignment
    except (LookupError, ValueError, OSError):
        return ""
