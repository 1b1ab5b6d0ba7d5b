"""nbgrader's preprocessors with the course's changes: stubs with the exercise's own message, and pages without hidden tests."""

import json
import re
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Notebook
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions, SaveCells
from nbgrader.utils import is_grade, is_locked

from autograder.grading.gradebook.optional_points import remove_balance
from autograder.nbgrader_plugins.pages import FORMATTER

_BEGIN = re.compile(r"### BEGIN SOLUTION[ :]*(.*)")
_STUB = re.compile(r"raise NotImplementedError\(\)")


class SentenceStubs(ClearSolutions):
    """nbgrader's ``ClearSolutions``, with the sentence after ``### BEGIN SOLUTION`` as the stub's message."""

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        sentences = _BEGIN.findall(cell.source)
        replaced = super()._replace_solution_region(cell, language)
        messages = iter(json.dumps(s.strip(), ensure_ascii=False) if s.strip() else "" for s in sentences)
        cell.source = _STUB.sub(lambda stub: f"raise NotImplementedError({next(messages, '')})", cell.source)
        return replaced


class SaveCellsAgain(SaveCells):
    """nbgrader's ``SaveCells``, which also works when the gradebook holds the cell that balances optional points."""

    def _create_notebook(self, nb: NotebookNode) -> None:
        for notebook in self.gradebook.db.query(Notebook).filter(Notebook.name == self.notebook_id).all():
            if notebook.assignment.name == self.assignment_id:
                remove_balance(self.gradebook.db, notebook.id)
                self.gradebook.db.expire_all()
        super()._create_notebook(nb)


class HideTests(ClearHiddenTests):
    """nbgrader's ``ClearHiddenTests``, for released grade cells only: the markers in a student's cell would stop the page."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        FORMATTER.start()  # takes half a second, while nbgrader reads the grades and the templates
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell: NotebookNode, resources: Any, cell_index: int) -> tuple[NotebookNode, Any]:
        if is_grade(cell) and is_locked(cell):
            return super().preprocess_cell(cell, resources, cell_index)
        return cell, resources
