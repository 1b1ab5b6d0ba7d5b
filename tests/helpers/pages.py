"""Feedback and formgrader pages of a notebook, made with the course's settings and nbgrader's own templates."""

from pathlib import Path

from browser import FORMGRADER
from nbconvert.exporters import HTMLExporter
from nbformat.notebooknode import from_dict
from traitlets.config import Config

from autograder.content import notebook as notebooks
from autograder.grading.lms.grades import number
from autograder.nbgrader_plugins.config import FILTERS, configure
from autograder.nbgrader_plugins.feedback import TEMPLATES, describe
from autograder.nbgrader_plugins.page_content import drop_unchanged_cells, shorten
from autograder.nbgrader_plugins.preprocessors import HideTests

KINDS = ("feedback", "formgrade")


def exporter(kind: str, root: Path) -> HTMLExporter:
    """Return what nbgrader makes a page with: ``GenerateFeedback``, or ``FormgradeExtension``."""
    config = Config()
    configure(config, root)
    config.HTMLExporter.template_name = "course_feedback" if kind == "feedback" else kind
    config.HTMLExporter.extra_template_basedirs = [str(TEMPLATES if kind == "feedback" else FORMGRADER / "templates")]
    config.HTMLExporter.extra_template_paths = [str(FORMGRADER / "static/node_modules/bootstrap/dist/css")]
    if kind == "feedback":
        config.Exporter.default_preprocessors = []
        config.HTMLExporter.filters = {**FILTERS, "points": number}
    made = HTMLExporter(config=config)
    for step in (HideTests,) if kind == "feedback" else ():
        made.register_preprocessor(step, enabled=True)
    return made


def page(kind: str, root: Path, cells: list[dict], given: frozenset[str] = frozenset()) -> str:
    """Return a page with these cells, whose total is 12.5 of 14 points. ``given`` are texts of the release."""
    cells = [{**cell, "id": f"cell-{number}", "source": notebooks.source(cell)} for number, cell in enumerate(cells)]
    notebook = from_dict({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:  # what nbgrader's GetGrades adds
            cell.metadata.nbgrader |= {"score": 1.0, "comment": None}
    about = {"notebook": "attention", "score": 12.5, "max_score": 14.0, "late_penalty": 0.0}
    if kind == "feedback":
        names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
        rows = {name: {"score": 1.0, "points": 2.0, "open": False, "comment": ""} for name in names if name}
        drop_unchanged_cells(notebook, given)
        shorten(notebook, str(root))
        describe(notebook, about, rows)
        about |= {"score": 12.5, "max_score": 14.0}
    resources = {"nbgrader": about, "base_url": "", "notebook_id": "attention", "index": 0, "total": 1}
    return exporter(kind, root).from_notebook_node(notebook, resources=resources)[0]


def markdown(text: str, **more: object) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": text, **more}


def raw(text: str, kind: str = "") -> dict:
    return {"cell_type": "raw", "metadata": {"raw_mimetype": kind}, "source": text}


def code(text: str, *outputs: dict) -> dict:
    return {
        "cell_type": "code",
        "metadata": {},
        "source": text,
        "outputs": list(outputs),
        "execution_count": None,
    }


def shown(data: dict, **metadata: object) -> dict:
    return {"output_type": "display_data", "data": data, "metadata": metadata}
