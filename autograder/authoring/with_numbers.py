"""Write the solution notebooks with their numbers cells, and the files that they need: ``python -m … FOLDER [--quick]``."""

import ast
import itertools
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.lesson_source import SLOW, solution_notebook
from autograder.authoring.numbers import TAG
from autograder.content.notebook import bound_names, grade_id, without_magics
from autograder.grading.course import Course, find_course


def write(course: Course, folder: Path, quick: bool = False) -> list[Path]:
    """Write them to ``folder``, one folder per lesson, replacing its content; return the notebooks.

    A ``quick`` notebook lacks the cells tagged ``slow``, and those that use what they bind.
    """
    shutil.rmtree(folder, ignore_errors=True)
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


def quick_cells(cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Return the cells without those tagged ``slow`` and those that use a name as one of them binds it.

    Of cells with numbers only such statements are left out; of the others, what they import stays. Raises ValueError if an
    exercise or its check would be left out.
    """
    kept, missing = [], set[str]()

    def is_left_out(text: str) -> bool:
        nonlocal missing
        bound, used = bound_names(text)
        missing = missing | bound if used & missing else missing - bound
        return bool(used & missing)

    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and TAG in tags and SLOW not in tags:
            statements = [ast.unparse(node) for node in ast.parse(cell.source).body]
            cell = nbformat.v4.new_code_cell("\n".join(itertools.filterfalse(is_left_out, statements)))
        elif cell.cell_type == "code" and (SLOW in tags or is_left_out(cell.source)):
            if grade_id(cell):
                raise ValueError(f"{grade_id(cell)} needs a name of a slow cell, or is slow.")
            imports = _imports(cell.source)
            missing = (missing | bound_names(cell.source)[0]) - bound_names(imports)[0]
            cell = nbformat.v4.new_code_cell(imports)
        kept.append(cell)
    return kept


def _imports(text: str) -> str:
    tree = ast.parse(without_magics(text))
    return "\n".join(ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))


if __name__ == "__main__":
    write(find_course(), Path(sys.argv[1]), quick="--quick" in sys.argv[2:])
