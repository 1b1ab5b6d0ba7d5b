"""Leave out, when grading, the experiments that a student has not touched."""

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.notebooks import is_untouched_experiment, needed_cells

_NOTE = "This experiment is as it was handed out. It was not run for grading."


class SkipExperiments(NbGraderPreprocessor):
    """Take untouched experiments out of the notebook that is executed; a note says so in the feedback."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        for cell, needed in zip(nb.cells, needed_cells(nb.cells), strict=True):
            if is_untouched_experiment(cell) and not needed:
                cell.metadata["tags"] = sorted({*cell.metadata.get("tags", []), "skip-execution"})
                cell.outputs = [NotebookNode(output_type="display_data", metadata={}, data={"text/plain": _NOTE})]
        return nb, resources
