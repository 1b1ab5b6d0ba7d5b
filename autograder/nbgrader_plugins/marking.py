"""The pages of ``autograder mark``: an extension of Jupyter Server beside formgrader, whose login serves.

An answer is a student's text. It is formatted as on feedback pages, in another process and within limits; no script but the
page's own runs, and nothing is fetched from elsewhere.
"""

import json
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from markupsafe import Markup
from tornado import web

from autograder.grading.course import Course, find_course
from autograder.grading.gradebook.enrolment import enrolled_students
from autograder.grading.gradebook.marking import (
    Answer,
    Change,
    Question,
    State,
    Variant,
    answers,
    group_answers,
    open_counts,
    questions,
    write_marks,
)
from autograder.grading.teacher.page import render, script_of
from autograder.nbgrader_plugins.pages import Allowances

#: What the answers of a class may use of the processor and of the page.
_SECONDS, _ELEMENTS, _TYPED = 30.0, 200_000, 2_000_000
_MOST_STUDENTS = 5_000


class _Handler(JupyterHandler):
    """What both pages share. Errors in what was asked for are told in one sentence."""

    @property
    def course(self) -> Course:
        formgrader = self.settings.get("nbgrader_formgrader")
        root = formgrader.coursedir.root if formgrader is not None else self.settings["server_root_dir"]
        return find_course(Path(root).expanduser())

    @property
    def content_security_policy(self) -> str:
        scripts = " ".join(f"'sha256-{script_of(name)[1]}'" for name in ("marking", "report"))
        own = "connect-src 'self'; frame-ancestors 'self'"
        return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {own}; script-src {scripts}"

    def address(self, *parts: str) -> str:
        return url_path_join(self.base_url, "marking", *parts)

    def write_error(self, status_code: int, **about: Any) -> None:
        error = about.get("exc_info", (None, None))[1]
        message = error.log_message if isinstance(error, web.HTTPError) else None
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"message": message or self._reason}))


class QuestionsHandler(_Handler):
    """The list of an assignment's questions, with how many answers are marked."""

    @web.authenticated
    async def get(self, assignment: str) -> None:
        def page() -> str:
            left = open_counts(self.course, assignment)
            rows = [(one, *left.get(one.cell, (0, 0))) for one in questions(self.course, assignment)]
            return render("questions.html.j2", assignment=assignment, rows=rows, here=self.address(assignment))

        try:
            self.finish(await to_thread(page))
        except LookupError as error:
            raise web.HTTPError(404, str(error)) from None


class QuestionHandler(_Handler):
    """The answers to one question, and the marks that a person gives them."""

    @web.authenticated
    async def get(self, assignment: str, cell: str) -> None:
        _ = self.xsrf_token  # sets the cookie, whose value the page sends back
        near = self.get_query_argument("near", "1") != "0"
        try:
            self.finish(
                await to_thread(question_page, self.course, assignment, cell, near, here=self.address(assignment))
            )
        except LookupError as error:
            raise web.HTTPError(404, str(error)) from None

    @web.authenticated
    async def post(self, assignment: str, cell: str) -> None:
        try:
            changes = read_changes(self.request.body)
            written, refused = await to_thread(write_marks, self.course, assignment, cell, changes)
        except (LookupError, ValueError) as error:
            raise web.HTTPError(404 if isinstance(error, LookupError) else 400, str(error)) from None
        self.finish({"written": _plain(written), "refused": _plain(refused)})


def _plain(states: Mapping[str, State]) -> dict[str, Any]:
    return {grade: asdict(state) for grade, state in states.items()}


def read_changes(body: bytes) -> list[Change]:
    """Return the changes that a page sends. Raises ValueError for anything else."""
    try:
        listed = json.loads(body)["changes"][:_MOST_STUDENTS]
        return [Change(str(one["grade"]), _state(one["seen"]), _state(one["new"])) for one in listed]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"This is no list of marks ({type(error).__name__}: {error}).") from None


def _state(about: Any) -> State:
    points, comment, is_open = about["points"], about["comment"], about["open"]
    if not ((points is None or type(points) in (int, float)) and type(comment) is str and type(is_open) is bool):
        raise TypeError(f"points {points!r}, comment {comment!r}, open {is_open!r}")
    return State(None if points is None else float(points), comment, is_open)


def question_page(course: Course, assignment: str, cell: str, near: bool = True, here: str = "") -> str:
    """Return the page of one question. Raises LookupError if there is none of this name."""
    every = questions(course, assignment)
    question = next((one for one in every if one.cell == cell), None)
    if question is None:
        raise LookupError(f"{assignment} has no question {cell!r}. There are: {', '.join(one.cell for one in every)}.")
    ours, theirs = Allowances(), Allowances(seconds=_SECONDS, elements=_ELEMENTS, typed=_TYPED)
    label = {student.id: student.label for student in enrolled_students(course)}
    groups = group_answers(one for one in answers(course, assignment, cell) if one.by_hand)
    if not near:
        groups = [[Variant(variant.answers)] for group in groups for variant in group]
    return render(
        "marking.html.j2",
        "marking",
        assignment=assignment,
        question=question,
        others=every,
        near=near,
        here=here,
        asked=_formatted(ours, question.text, question),
        scheme=_formatted(ours, question.scheme),
        answer=_formatted(ours, question.answer, question),
        groups=[_group(group, question, theirs, label) for group in groups],
    )


def _group(group: Sequence[Variant], question: Question, page: Allowances, label: Mapping[str, str]) -> dict[str, Any]:
    """Return what a group of answers shows; its marks are those of all its variants."""
    marks = [{"grade": one.grade, "state": asdict(one.state)} for variant in group for one in variant.answers]
    first, *others = [
        {
            "count": len(variant.answers),
            "names": ", ".join(_names(variant.answers, label)),
            "html": _formatted(page, variant.text, question) or Markup("<p><i>nothing</i></p>"),
            "added": variant.added,
            "missing": variant.missing,
        }
        for variant in group
    ]
    everyone = _names([one for variant in group for one in variant.answers], label)
    return first | {"count": len(marks), "names": ", ".join(everyone), "variants": others, "marks": json.dumps(marks)}


def _names(some: Sequence[Answer], label: Mapping[str, str]) -> list[str]:
    return sorted(label.get(one.student, one.student) for one in some)


def _formatted(page: Allowances, text: str, question: Question | None = None) -> Markup:
    """Return a text as HTML that holds nothing but formatting, or as it was typed."""
    if not text.strip():
        return Markup("")
    kind = "code" if question is not None and question.cell_type == "code" else "markdown"
    html = page.formatted(kind, text)
    return Markup(f"<pre>{page.as_typed(text)}</pre>" if html is None else html)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the pages to a Jupyter Server, which calls this."""
    web_app = server.web_app
    web_app.settings.setdefault("server_root_dir", server.root_dir)
    base = url_path_join(web_app.settings["base_url"], "marking")
    name = "([^/]+)"
    web_app.add_handlers(".*$", [(f"{base}/{name}/?", QuestionsHandler), (f"{base}/{name}/{name}", QuestionHandler)])
