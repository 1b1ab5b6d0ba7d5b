"""Write the solution notebooks with their numbers cells, and the files that they need, to be run by nbval."""

import shutil
from pathlib import Path

import click
import nbformat

from autograder.authoring.lesson_source import solution_notebook
from autograder.authoring.slow_cells import quick_cells
from autograder.grading.course import Course, find_course

#: A file by which a folder that may be replaced is recognised.
_MARKER = ".with-numbers"


def write(course: Course, folder: Path, quick: bool = False) -> list[Path]:
    """Write the notebooks to ``folder``, one folder per lesson, replacing its content; return their paths.

    A ``quick`` notebook omits the cells tagged ``slow`` and those that use their names. Raises ValueError if the folder has
    content that was not written by an earlier call.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARKER).exists():
        raise ValueError(
            f"{folder} is not empty and holds no notebooks of an earlier run. Choose another folder, or remove it."
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / _MARKER).touch()
    written = []
    for source in course.sources():
        place = folder / source.parent.name
        shutil.copytree(source.parent, place, ignore=shutil.ignore_patterns("*.py", ".*"))
        path = place / f"{source.stem}.ipynb"
        notebook = solution_notebook(course, source, numbers=True)
        notebook.cells = quick_cells(notebook.cells) if quick else notebook.cells
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf8")
        written.append(path)
    return written


@click.command(epilog="Example: python -m autograder.authoring.with_numbers notebooks --quick")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--quick", is_flag=True, help="leave out the cells tagged slow, and what uses their names")
def main(folder: Path, quick: bool) -> None:
    """Write the solution notebooks of all lessons, with the cells that compare the prose's numbers, to FOLDER."""
    try:
        write(find_course(), folder, quick)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
