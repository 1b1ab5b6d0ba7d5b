"""Write the solution notebooks with their numbers cells, and the files that they need: ``python -m … FOLDER``."""

import shutil
import sys
from pathlib import Path

import nbformat

from autograder.authoring.lesson_source import solution_notebook
from autograder.grading.course import Course, find_course


def write(course: Course, folder: Path) -> list[Path]:
    """Write them to ``folder``, one folder per lesson, replacing its content; return the notebooks."""
    shutil.rmtree(folder, ignore_errors=True)
    written = []
    for source in course.sources():
        place = folder / source.parent.name
        shutil.copytree(source.parent, place, ignore=shutil.ignore_patterns("*.py", ".*"))
        path = place / f"{source.stem}.ipynb"
        path.write_text(nbformat.writes(solution_notebook(course, source, numbers=True)) + "\n", encoding="utf8")
        written.append(path)
    return written


if __name__ == "__main__":
    write(find_course(), Path(sys.argv[1]))
