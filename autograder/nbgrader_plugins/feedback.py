"""Feedback pages: small, usable offline, with the names of exercises and of questions still to be marked."""

import functools
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from nbconvert.writers import FilesWriter
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback, NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config

from autograder.content.notebook import checked_exercise
from autograder.grading.course import Course
from autograder.grading.gradebook.status import Part, part_title, points_and_possible
from autograder.grading.gradebook.sync import sync_gradebook
from autograder.grading.lms.grades import number
from autograder.grading.roster.roster import DEFAULT_RULE, OptionalRule, read_policy
from autograder.nbgrader_plugins.page_content import drop_unchanged_cells, released_texts, shorten

TEMPLATES = Path(__file__).parent / "templates"


class CourseFeedback(GenerateFeedback):
    """nbgrader's ``GenerateFeedback`` with the course's template."""

    def __init__(self, coursedir: Any = None, **kwargs: Any) -> None:
        super().__init__(coursedir=coursedir, **kwargs)
        c = Config()
        c.HTMLExporter.template_name = "course_feedback"
        c.HTMLExporter.extra_template_basedirs = [str(TEMPLATES)]
        c.HTMLExporter.filters = {**self.config.HTMLExporter.get("filters", {}), "points": number}
        self.update_config(c)

    def start(self) -> None:
        """Write the pages, with penalties according to the current rule and marks."""
        try:
            sync_gradebook(Course(Path(self.coursedir.root)))
        except ValueError as error:  # a fault in course.toml or the roster
            self.log.error(str(error))
            raise NbGraderException(str(error)) from None
        super().start()

    def begin(self) -> None:
        """Prepare for :meth:`write` as :meth:`start` does, without writing anything."""
        self.writer = FilesWriter(parent=self, config=self.config)
        self.exporter = self.exporter_class(parent=self, config=self.config)
        for step in self.preprocessors:
            self.exporter.register_preprocessor(step)

    def write(self, student: str) -> None:
        """Write one student's page. Raises what nbgrader raises."""
        self.coursedir.student_id = student
        self.init_notebooks()
        self.convert_notebooks()


class Explain(NbGraderPreprocessor):
    """Put points, comments and the state of each question into the notebook, and keep the page small.

    Replaces nbgrader's ``GetGrades``, which queries the database for each cell.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        rows, about["late_penalty"] = _marks(about)
        root = Path(about["db_url"].removeprefix("sqlite:///")).parent.parent
        drop_unchanged_cells(
            nb, released_texts(root / "assignments" / about["assignment"] / f"{about['notebook']}.ipynb")
        )
        shorten(nb, str(root))
        course = Course(root)
        lesson = course.lessons.find(about["assignment"])
        describe(nb, about, rows, lesson.optional if lesson else (), read_policy(course).optional)
        return nb, resources


def describe(
    nb: NotebookNode,
    about: dict[str, Any],
    rows: dict[str, dict[str, Any]],
    optional: Collection[str] = (),
    rule: OptionalRule = DEFAULT_RULE,
) -> None:
    """Add data for the template to ``about``. ``rows`` holds the score, points, open and comment of each cell, by name.

    ``optional`` names the optional exercises and the cells of optional questions; their points count by the ``rule``.
    """
    parts: list[dict[str, Any]] = []
    graded: list[Part] = []
    for cell in nb.cells:
        marks = cell.metadata.get("nbgrader", {})
        row = rows.get(marks.get("grade_id", ""))
        if row is None:
            continue
        marks["comment"] = row["comment"]
        if marks.get("grade") or marks.get("task"):
            exercise = checked_exercise(cell.source) if cell.cell_type == "code" else None
            title = part_title(marks["grade_id"], cell.cell_type, exercise)
            part = Part(
                marks["grade_id"],
                title,
                row["points"],
                row["score"],
                optional=(exercise or marks["grade_id"]) in optional,
            )
            graded.append(part)
            parts.append({**row, "title": part.label, "cell": part.cell, "number": len(graded)})
    about["parts"] = parts
    about["by_cell"] = {part["cell"]: part for part in parts}
    about["open"] = sum(part["open"] for part in parts)
    total, about["max_score"] = points_and_possible(graded, rule)
    about["score"] = max(0.0, total - (about["late_penalty"] or 0.0))
    about["optional"] = _OF_OPTIONAL[rule] if any(part.optional for part in graded) else ""
    about["css"] = style()


#: The sentence on optional parts below the table of points.
_OF_OPTIONAL = {
    OptionalRule.BONUS: "Points of optional parts make up for others; you cannot have more than the core is worth.",
    OptionalRule.COUNT: "Points of optional parts count as all others do.",
    OptionalRule.IGNORE: "Points of optional parts do not count.",
}


def _marks(about: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], float]:
    """Return the gradebook's rows on one student's notebook, by cell, and the penalty."""
    with Gradebook(about["db_url"]) as gradebook:
        notebook = gradebook.find_submission_notebook(about["notebook"], about["assignment"], about["student"])
        rows = {
            grade.name: {
                "score": float(grade.score or 0.0),
                "points": float(grade.max_score or 0.0),
                "open": bool(grade.needs_manual_grade),
                "comment": "",
            }
            for grade in notebook.grades
        }
        for comment in notebook.comments:
            rows.setdefault(comment.name, {"score": 0.0, "points": 0.0, "open": False, "comment": ""})
            rows[comment.name]["comment"] = comment.comment or ""
        return rows, float(notebook.late_submission_penalty or 0.0)


@functools.cache
def style() -> str:
    """Return the page's style sheet, with Pygments' colours for a light and for a dark page."""
    from pygments.formatters import HtmlFormatter

    page_style = (TEMPLATES / "feedback.css").read_text(encoding="utf8")
    light, dark = (
        re.sub(
            r"(?m)^(pre|td\.|span\.|\.highlight \.hll).*$\n?",
            "",
            HtmlFormatter(style=name).get_style_defs(".highlight"),
        )
        for name in ("default", "github-dark")
    )
    colours = "\n".join(line for line in light.splitlines() if not line.startswith(".highlight {"))
    darker = "\n".join(line for line in dark.splitlines() if not line.startswith(".highlight {"))
    return f"{page_style}\n{colours}\n@media (prefers-color-scheme: dark) {{\n{darker}\n}}"
