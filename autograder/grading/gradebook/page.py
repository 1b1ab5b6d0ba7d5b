"""A submission and its result as an autograded notebook, from which nbgrader reads the points and makes the feedback page."""

from nbformat.notebooknode import NotebookNode, from_dict

from autograder.grading.run.result import Result, worth
from autograder.grading.submission.model import Submission
from autograder.grading.submission.released import Released

_SKIPPED = "This experiment was not run for grading."


def as_node(submission: Submission) -> NotebookNode:
    """Return a submission as a notebook of nbformat."""
    spec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return from_dict(
        {
            "cells": [dict(cell) for cell in submission.cells],
            "metadata": {"kernelspec": spec, "language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def apply(notebook: NotebookNode, result: Result, released: Released, key: str) -> None:
    """Write a result's outputs into the notebook. A grade cell without a result gets 0, never no score."""
    notebook.metadata["course"] = {"result": key, "sealed": result.sealed}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs = [from_dict(item) for item in result.outputs.get(number, [])]
        marks = cell.metadata.get("nbgrader", {})
        name = marks.get("grade_id", "")
        if name in result.scores and released.cells[name].exercise:
            _scale(cell, result.scores[name], released.cells[name].points)
        elif number not in result.outputs and marks.get("grade") and not marks.get("solution"):
            cell.outputs = [_value(0.0)]
        elif number not in result.outputs and cell.metadata.get("course", {}).get("experiment"):
            text = {"text/plain": _SKIPPED}
            cell.outputs = [from_dict({"output_type": "display_data", "metadata": {}, "data": text})]


def _scale(cell: NotebookNode, score: tuple[float, float], points: float) -> None:
    """Write the points of a check cell, and note when the gradebook gives its exercise a different maximum."""
    cell.outputs = [item for item in cell.outputs if item.output_type != "execute_result"]
    if score[1] != points:
        text = {"text/plain": f"This exercise is worth {points:g} points here: {worth(score, points):g} of {points:g}."}
        cell.outputs.append(from_dict({"output_type": "display_data", "metadata": {}, "data": text}))
    cell.outputs.append(_value(worth(score, points)))


def _value(points: float) -> NotebookNode:
    text = {"text/plain": repr(float(points))}
    return from_dict({"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": text})
