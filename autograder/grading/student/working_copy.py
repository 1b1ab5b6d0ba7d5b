"""A student's working copy of the notebooks, JupyterLab in it, and the progress of its lessons."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from autograder.content import notebook
from autograder.content.lesson import Lessons
from autograder.grading.console import readable, readable_lines, show
from autograder.grading.course import find_course
from autograder.grading.student.locate_lesson import lesson_of
from autograder.notebook.history import FOLDER, History
from autograder.notebook.progress import Panel, SavedFile, lesson_progress

#: Possible locations of a lesson's notebook, relative to the current folder. The working copy comes before the release.
_PLACES = ("", "{}", "work/{}", "../{}", "assignments/{}")


def progress_in(lessons: Sequence[str] = ()) -> str:
    """Return the progress panels of these lessons, or of all lessons here, as text. Raises FileNotFoundError if there is none."""
    paths = [find_notebook(lesson) for lesson in lessons] or find_all()
    if not paths:
        raise FileNotFoundError(
            "There is no notebook of the course in this folder. Go to the folder with your notebooks, or give a path."
        )
    panels = {path: progress_of(path) for path in paths}
    begun = [path for path, panel in panels.items() if lessons or panel.begun]
    others = [f"{readable(str(path))}: not begun" for path in paths if path not in begun]
    panels_text = ["\n".join([readable(str(path)), *readable_lines(str(panels[path]))]) for path in begun]
    return "\n\n".join([*panels_text, *(["\n".join(others)] if others else [])])


def find_notebook(path_or_name: str) -> Path:
    """Find a notebook by its path, its folder, or the name of its lesson, such as ``01-attention``.

    Raises FileNotFoundError if there is none.
    """
    path_given = Path(path_or_name)
    if path_given.is_file():
        return path_given
    folders = [path_given] if path_given.is_dir() else []
    name = Lessons().current(path_given.name)
    folders += [Path(place.format(candidate)) for candidate in dict.fromkeys((path_or_name, name)) for place in _PLACES]
    for folder in folders:
        for path in _newest_first(folder):
            if _assignment_of(path) == name or folder == path_given:
                return path
    places = ", ".join(str(folder) for folder in folders if str(folder) != ".")
    raise FileNotFoundError(
        f"There is no notebook of {path_or_name} here, nor in {places}. "
        "Give the notebook's path, or go to the folder that it is in."
    )


def find_all() -> list[Path]:
    """Return the notebooks of the course in the current folder, its subfolders and ``work``, one for each lesson."""
    path_of: dict[str, Path] = {}
    for folder in (
        Path(),
        Path("work"),
        *sorted(path for path in (*Path().iterdir(), *Path("work").glob("*")) if path.is_dir()),
    ):
        for path in _newest_first(folder):
            if folder.name not in ("assignments", "solutions") and (lesson := _assignment_of(path)):
                path_of.setdefault(lesson, path)
    return [path_of[lesson] for lesson in sorted(path_of)]


def progress_of(path: Path) -> Panel:
    """Return the progress panel of one notebook, from its file and the history of its checks; nothing is run."""
    lesson = lesson_of(path)
    cells = notebook.read(path)["cells"]
    work = SavedFile(cells, path.parent, History(path.parent, lesson.name).entries())
    notes = [] if work.entries else [f"No check has been run in this folder yet ({Path(path.parent, FOLDER)})."]
    return Panel(lesson_progress(lesson, work), notes, f"To hand in: autograder hand-in {path}")


def _newest_first(folder: Path) -> list[Path]:
    paths = [path for path in folder.glob("*.ipynb") if path.is_file()]
    return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)


def _assignment_of(path: Path) -> str:
    """Return the assignment of a notebook; "" if it belongs to no lesson."""
    try:
        return lesson_of(path).assignment
    except (LookupError, ValueError, OSError):
        return ""


#: Where an installed package keeps the released notebooks, below the folder for data.
SHARE = Path("share", "attention-course", "assignments")


def open_lab(folder: Path, start: bool = True, options: Sequence[str] = ()) -> int:
    """Copy the notebooks missing in ``folder``, and start JupyterLab there with these ``options``.

    Returns JupyterLab's exit status. Students' work is never overwritten. Raises LookupError if there is nothing to copy or no
    JupyterLab, and ValueError if root starts it without the option that JupyterLab requires for that.
    """
    released = released_notebooks()
    copied = copy_new(released, folder)
    show(f"{folder.resolve()}: {len(copied)} new lessons; what was there already is as you left it.")
    if not start:
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        raise LookupError('JupyterLab is not installed here. Install it: pip install "attention-course[lab]"')
    if getattr(os, "geteuid", lambda: 1)() == 0 and not {"--allow-root", "--version", "--help"} & {*options}:
        raise ValueError(
            "You are root here, as in many containers, and JupyterLab starts for root only with an option: "
            "make lab LAB=--allow-root, or autograder lab --allow-root"
        )
    return subprocess.run([sys.executable, "-m", "jupyter", "lab", *options], cwd=folder).returncode


def released_notebooks() -> Path:
    """Return the folder with the released notebooks, in the checkout or else in the installed package.

    The students' bundle is no checkout: an editable install of it has them beside the package.
    """
    try:
        places = [find_course().release]
    except LookupError:
        places = []
    places += [_installed_notebooks(), Path(__file__).resolve().parents[3] / "assignments"]
    for place in places:
        if place.is_dir() and any(place.glob("*/*.ipynb")):
            return place
    raise LookupError(
        f"There are no notebooks in {' or '.join(map(str, places))}. Go to the folder of the course that you cloned."
    )


def _installed_notebooks() -> Path:
    """Return the folder recorded at installation: it is not always below sys.prefix (Debian, pip install --user)."""
    for file in metadata.files("attention-course") or ():
        if len(file.parts) > 2 and file.parts[:-2][-len(SHARE.parts) :] == SHARE.parts:
            return Path(file.locate()).resolve().parents[1]
    return Path(sys.prefix, SHARE)


def copy_new(released: Path, folder: Path) -> list[str]:
    """Copy each lesson's folder that is missing in ``folder``, completely; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    copied = []
    for lesson in sorted(path for path in released.iterdir() if path.is_dir()):
        if not (folder / lesson.name).exists():
            temporary = folder / f".{lesson.name}.part"
            shutil.rmtree(temporary, ignore_errors=True)
            shutil.copytree(lesson, temporary, ignore=shutil.ignore_patterns(".*"))
            temporary.rename(folder / lesson.name)
            copied.append(lesson.name)
    return copied
