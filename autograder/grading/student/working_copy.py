"""A student's own copy of the notebooks, and JupyterLab in it: the same with make, without it, and on Windows."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from autograder.grading.course import find_course

#: Where an installed package keeps the released notebooks, below the folder for data.
SHARE = Path("share", "attention-course", "assignments")


def open_lab(folder: Path, start: bool = True, options: Sequence[str] = ()) -> int:
    """Copy the notebooks that ``folder`` does not have yet, and start JupyterLab there, with its ``options``.

    Returns its exit status. What a student has written is never overwritten. Raises LookupError if there is nothing to copy or no
    JupyterLab, and ValueError for root, as whom JupyterLab starts only if it is told to.
    """
    released = released_notebooks()
    copied = copy_new(released, folder)
    print(f"{folder.resolve()}: {len(copied)} new lessons; what was there already is as you left it.", flush=True)
    if not start:
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        raise LookupError('JupyterLab is not installed here. Install it: pip install "attention-course[lab]"')
    if getattr(os, "geteuid", lambda: 1)() == 0 and not {"--allow-root", "--version", "--help"} & {*options}:
        raise ValueError(
            "You are root here, as in many containers, and JupyterLab starts for root only if it is told to. Say so: "
            "make lab LAB=--allow-root, or autograder lab --allow-root"
        )
    return subprocess.run([sys.executable, "-m", "jupyter", "lab", *options], cwd=folder).returncode


def released_notebooks() -> Path:
    """Return the folder with the released notebooks: of the checkout, or else of the installed package."""
    try:
        places = [find_course().release]
    except LookupError:
        places = []
    places.append(_installed_notebooks())
    for place in places:
        if place.is_dir() and any(place.glob("*/*.ipynb")):
            return place
    raise LookupError(
        f"There are no notebooks in {' or '.join(map(str, places))}. Go to the folder of the course that you cloned."
    )


def _installed_notebooks() -> Path:
    """Return the folder that was recorded at the installation: it is not always below sys.prefix (Debian, pip install --user)."""
    for file in metadata.files("attention-course") or ():
        if len(file.parts) > 2 and file.parts[:-2][-len(SHARE.parts) :] == SHARE.parts:
            return Path(file.locate()).resolve().parents[1]
    return Path(sys.prefix, SHARE)


def copy_new(released: Path, folder: Path) -> list[str]:
    """Copy each lesson's folder that is not in ``folder`` yet, whole; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    copied = []
    for lesson in sorted(path for path in released.iterdir() if path.is_dir()):
        if not (folder / lesson.name).exists():
            part = folder / f".{lesson.name}.part"
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(lesson, part, ignore=shutil.ignore_patterns(".*"))
            part.rename(folder / lesson.name)
            copied.append(lesson.name)
    return copied
