"""The page for marking the written questions of a class, one question after the other.

``/marking/LESSON`` lists the questions, ``/marking/LESSON/CELL`` shows one of them with the class's answers in groups, and takes
marks. Students' text is formatted as on feedback pages. Reading and writing wait for the gradebook in another thread.
"""

import asyncio
import functools
import json
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from filelock import Timeout
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from markupsafe import Markup
from sqlalchemy.exc import OperationalError
from tornado import web

from autograder.grading.course import Course, find_course
from autograder.grading.gradebook.marking import (
    Answer,
    Change,
    Question,
    State,
    answers,
    group_answers,
    open_counts,
    questions,
    write_marks,
)
from autograder.grading.lms.grades import number
from autograder.nbgrader_plugins.feedback import TEMPLATES, style
from autograder.nbgrader_plugins.pages import Allowances
from autograder.nbgrader_plugins.sanitise import in_order

#: Bytes of a request: marks and a comment for each student of a large class.
MOST_BYTES = 10_000_000
#: Comments in the list from which they are given again.
_COMMENTS = 20

Result = TypeVar("Result")


@functools.lru_cache(maxsize=2048)
def formatted(text: str, kind: str, pasted: str = "{}") -> Markup:
    """Return a text as HTML without active content. Each text has its own allowances: a hostile one affects only itself."""
    page = Allowances(seconds=1.0, elements=10_000, characters=4_000_000, typed=30_000)
    html = page.formatted("code" if kind == "code" else "markdown", text, json.loads(pasted))
    return Markup(f'<pre class="as-typed">{page.as_typed(text)}</pre>' if html is None else html)


@functools.cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: in_order(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "formatted": formatted, "state_of": _state_of}
    return made


def _read(name: str) -> Markup:
    text = (TEMPLATES / name).read_text(encoding="utf8")
    assert "</" not in text  # it stands in an element of the page as it is
    return Markup(text)


def page(
    course: Course, assignment: str, cell: str | None, above: str, xsrf: str, nonce: str, names: bool, apart: bool
) -> str:
    """Return the page of a question, or the list of questions. ``above`` is the address below which the questions' pages are.

    Raises LookupError if there is no such assignment or question.
    """
    to_mark = questions(course, assignment)
    class_answers = answers(course, assignment, cell) if cell else []
    groups = group_answers(class_answers)
    if apart:
        groups = [[variant] for group in groups for variant in group]
    used = Counter(answer.state.comment for answer in class_answers if answer.state.comment)
    return (
        _environment()
        .get_template("marking.html.j2")
        .render(
            assignment=assignment,
            question=None if cell is None else _find(to_mark, assignment, cell),
            questions=to_mark,
            counts=open_counts(course, assignment),
            groups=groups,
            comments=[comment for comment, _ in used.most_common(_COMMENTS)],
            above=f"{above}/{quote(assignment, safe='')}",
            names=names,
            apart=apart,
            xsrf=xsrf,
            nonce=nonce,
            style=Markup(style()) + _read("marking.css"),
            script=_read("marking.js"),
        )
    )


def _find(to_mark: Sequence[Question], assignment: str, cell: str) -> Question:
    for question in to_mark:
        if question.cell == cell:
            return question
    raise LookupError(f"{assignment} has no question {cell!r} that a person marks.")


def _state_of(answer: Answer) -> dict[str, Any]:
    """Return the fields of an answer that the page's script needs, none of which identifies the student."""
    return {"grade": answer.grade, "auto": answer.auto, "state": vars(answer.state)}


def _state(value: Any) -> State:
    points, comment, is_open = value["points"], value["comment"], value["open"]
    if not isinstance(points, int | float | None) or isinstance(points, bool):
        raise TypeError
    comment.encode()  # half of a surrogate pair cannot be stored
    return State(None if points is None else float(points), str(comment), bool(is_open))


def _changes(body: bytes) -> list[Change]:
    """Return the marks in a request. Raises ValueError if it contains none."""
    try:
        return [
            Change(str(change["grade"]), _state(change["seen"]), _state(change["new"]))
            for change in json.loads(body)["changes"]
        ]
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ValueError(
            "Expected a list of changes, each with a grade, and the mark as it was seen and is now."
        ) from None


class _Handler(JupyterHandler):
    """Shared parts of the handlers: access control, and refusals as a sentence."""

    auth_resource = "contents"

    @functools.cached_property
    def nonce(self) -> str:
        return secrets.token_urlsafe(16)

    @property
    def content_security_policy(self) -> str:
        """Allow only the style sheet and the script that come with the page, and pictures embedded in it."""
        return (
            f"default-src 'none'; script-src 'nonce-{self.nonce}'; style-src 'nonce-{self.nonce}'; img-src data:; "
            "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
        )

    def set_default_headers(self) -> None:
        super().set_default_headers()
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "same-origin")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer with the reason as plain text, not HTML: it may quote the request."""
        error = kwargs.get("exc_info", (None, None))[1]
        reason = isinstance(error, web.HTTPError) and error.log_message and error.log_message % error.args
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(reason or "This failed. The server's log says why.")

    def course(self) -> Course:
        """Return the course of the gradebook that formgrader shows. Raises LookupError if there is none."""
        formgrader = self.settings.get("nbgrader_formgrader")
        return find_course(
            Path(formgrader.coursedir.root if formgrader else self.settings["server_root_dir"]).expanduser()
        )

    async def in_thread(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return the function's result for the course. Its exceptions become error responses with a sentence."""
        try:
            return await asyncio.to_thread(lambda: function(self.course(), *arguments))
        except LookupError as error:
            raise web.HTTPError(404, str(error.args[0])) from None
        except ValueError as error:
            raise web.HTTPError(400, str(error)) from None
        except (Timeout, OperationalError):
            raise web.HTTPError(
                503, "Another program is writing the gradebook. Nothing was changed: try again."
            ) from None


class QuestionsHandler(_Handler):
    """The questions of an assignment, with the number of answers still to be marked."""

    @web.authenticated
    @authorized
    async def get(self, assignment: str, cell: str | None = None) -> None:
        names, apart = (self.get_argument(name, "") == "1" for name in ("names", "apart"))
        above = url_path_join(self.base_url, "marking")
        xsrf = self.xsrf_token.decode()
        self.finish(await self.in_thread(page, assignment, cell, above, xsrf, self.nonce, names, apart))


class QuestionHandler(QuestionsHandler):
    """One question: the class's answers to it, and their marks."""

    @web.authenticated
    @authorized
    async def post(self, assignment: str, cell: str) -> None:
        """Write marks, except those changed by somebody else since they were shown; the answer (409) lists these."""
        if len(self.request.body) > MOST_BYTES:
            raise web.HTTPError(413, f"Expected at most {MOST_BYTES:,} bytes.")
        try:
            changes = _changes(self.request.body)
        except ValueError as error:
            raise web.HTTPError(400, str(error)) from None
        written, refused = await self.in_thread(write_marks, assignment, cell, changes)
        self.set_status(409 if refused else 200)
        self.set_header("Content-Type", "application/json")
        about = {"written": written, "refused": refused, "message": _left(len(refused)) if refused else ""}
        self.finish(json.dumps(about, default=vars))


def _left(refused: int) -> str:
    subject = "this mark" if refused == 1 else f"{refused} of these marks"
    return f"Somebody else has changed {subject} meanwhile. Their marks were kept, and are shown now: look again."


def handlers(base_url: str) -> list[tuple[str, type[web.RequestHandler]]]:
    """Return the addresses of the page below the server's own."""
    return [
        (url_path_join(base_url, r"/marking/([^/]+)/?"), QuestionsHandler),
        (url_path_join(base_url, r"/marking/([^/]+)/([^/]+)"), QuestionHandler),
    ]
