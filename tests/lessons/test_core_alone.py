"""The core of each lesson runs without its optional parts: their cells are left out, and the rest is run from top to bottom."""

import shutil

import nbformat
import pytest
from known import COURSE
from nbclient import NotebookClient

from autograder.content.notebook import is_check
from autograder.content.optional import optional_cells

NOTEBOOKS = {source.parent.name: source.with_suffix(".ipynb") for source in COURSE.sources()}


@pytest.mark.parametrize("assignment", NOTEBOOKS)
@pytest.mark.nightly(
    reason="the build refuses a core cell that needs an optional one; to run all lessons again takes long"
)
def test_the_core_runs_without_the_optional_parts(assignment, tmp_path):
    path = NOTEBOOKS[assignment]
    notebook = nbformat.read(path, 4)
    optional = optional_cells(notebook.cells)
    if not any(optional):
        pytest.skip("It has no optional cells.")
    kept = [
        cell for cell, left_out in zip(notebook.cells, optional, strict=True) if not left_out and not is_check(cell)
    ]
    notebook.cells = kept
    folder = tmp_path / assignment
    shutil.copytree(path.parent, folder, ignore=shutil.ignore_patterns("*.py", "*.ipynb"))
    NotebookClient(
        notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
