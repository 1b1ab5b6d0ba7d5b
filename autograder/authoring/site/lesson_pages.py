"""A lesson's released notebook as a page, with the outputs of cells that need no solved exercise."""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.every_notebook import COLAB
from autograder.grading.course import Course

#: Seconds for one cell; a cell that takes longer is shown as code only, like one that needs an exercise.
_PATIENCE = 120
#: Cells of every notebook that concern the reader's own copy.
_OWN_COPY = ("set-up", "where-you-stand")
_HEAD = """
```{{note}}
This is the notebook to read. To work in it, [open it in Colab]({colab}) or follow
[the instructions for students](../students.md). Figures are shown
where they need no exercise; the others appear when you have written it. What goes wrong often:
[known mistakes](../mistakes/{assignment}.md).
```
"""


def lesson_page(course: Course, assignment: str, drawn: bool) -> str:
    """Return the page of a lesson as a notebook, with outputs if ``drawn``. Raises LookupError if there is no release."""
    paths = sorted((course.release / assignment).glob("*.ipynb"))
    if len(paths) != 1:
        raise LookupError(f"There is no released notebook of {assignment}. Build it: autograder build {assignment}")
    notebook = nbformat.read(paths[0], 4)
    if drawn:
        _run(notebook)
    notebook.cells = [cell for cell in notebook.cells if _is_shown(cell)]
    first = notebook.cells[0]
    title, _, rest = first.source.partition("\n")
    first.source = f"{title}\n{_head(course, assignment, paths[0].name)}{rest}"
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})  # it is for graders
    return nbformat.writes(notebook)


def _head(course: Course, assignment: str, name: str) -> str:
    repository = (course.repository or "").removeprefix("https://github.com/")
    address = COLAB.format(name=repository, assignment=assignment, notebook=name)
    return _HEAD.format(colab=address, assignment=assignment)


def _is_shown(cell: NotebookNode) -> bool:
    name = _grading(cell).get("grade_id")
    written = cell.cell_type == "markdown" and _grading(cell).get("solution")
    return not (name in _OWN_COPY or written or cell.source.startswith(("[Open in Colab]", "## Where you stand")))


def _grading(cell: NotebookNode) -> dict:
    return cell.metadata.get("nbgrader", {})


def _run(notebook: NotebookNode) -> None:
    """Run the cells in order, except checks, and keep the outputs of those that raise no error."""
    from nbclient import NotebookClient

    # With MPLBACKEND no figure would be shown.
    surroundings = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=_PATIENCE,
            startup_timeout=_PATIENCE,  # a kernel may need more than a minute on a busy machine
            interrupt_on_timeout=True,
            allow_errors=True,
            extra_arguments=["--log-level=40"],  # errors only
            resources={"metadata": {"path": folder}},
        )
        with client.setup_kernel(env=surroundings):
            for place, cell in _runnable(notebook.cells):
                client.execute_cell(cell, place)
                cell.outputs = _page_outputs(cell)
    notebook.metadata.pop("widgets", None)


def _runnable(cells: Sequence[NotebookNode]) -> Iterator[tuple[int, NotebookNode]]:
    for place, cell in enumerate(cells):
        check = _grading(cell).get("grade") and not _grading(cell).get("solution")
        if cell.cell_type == "code" and not check and _grading(cell).get("grade_id") not in _OWN_COPY:
            yield place, cell


def _page_outputs(cell: NotebookNode) -> list[NotebookNode]:
    """Return the outputs for the page: none of a failed cell, no warnings, and nothing about the building machine."""
    if any(output.output_type == "error" for output in cell.outputs) or "devices.describe()" in cell.source:
        return []
    outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    for output in outputs:
        for kind in [kind for kind in output.get("data", {}) if "widget" in kind]:
            del output.data[kind]  # its static form is beside it
        if "text/html" in output.get("data", {}):
            output.data["text/html"] = re.sub(r"<style>.*?</style>", "", output.data["text/html"], flags=re.DOTALL)
    return outputs
