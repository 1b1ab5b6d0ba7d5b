"""Feedback pages without hidden tests."""

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade, is_locked

from autograder.nbgrader_plugins.pages import FORMATTER


class HideTests(ClearHiddenTests):
    """nbgrader's ``ClearHiddenTests``, for released grade cells only: the markers in a student's cell would stop the page."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        FORMATTER.start()  # takes half a second, while nbgrader reads the grades and the templates
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell: NotebookNode, resources: Any, cell_index: int) -> tuple[NotebookNode, Any]:
        if is_grade(cell) and is_locked(cell):
            return super().preprocess_cell(cell, resources, cell_index)
        return cell, resources
