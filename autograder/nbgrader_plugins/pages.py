"""The pages that show students' text: feedback and formgrader. The text is formatted, and none of it is executed.

These are the filters of nbconvert's templates. What a student wrote or printed is formatted in another process, within the
allowances of its page, and otherwise shown as it was typed. Where it lies on the page is bounded by ``style.py``.
"""

import atexit
import contextlib
import json
from dataclasses import dataclass
from html import escape
from threading import Lock
from typing import Any

from jinja2 import pass_context

from autograder.grading.run.pool import Channel
from autograder.nbgrader_plugins.sanitise import clean_report, in_order
from autograder.nbgrader_plugins.style import CSS

#: The longest text that is formatted, in characters. The longest cell of the course has five thousand.
LONGEST = 30_000
_CUT = "\n… The rest of this page is longer than is shown here. The notebook itself holds all of it."


@dataclass
class Allowances:
    """What one page may still use: seconds of processor time, elements and characters of HTML, and characters shown as typed.

    The solutions of the course use up to 0.2 s, 25,000 elements and 400,000 characters. The last three bound the work of the
    templates, of nbconvert, which parses the whole page again, and of the browser.
    """

    seconds: float = 5.0
    elements: int = 90_000
    characters: int = 16_000_000
    typed: int = 200_000
    styled: bool = False

    def style(self) -> str:
        """Return the style sheet for the first piece of a page, and nothing for the others: no setting of nbgrader adds one."""
        before, self.styled = self.styled, True
        return "" if before else f"<style>{CSS}</style>"

    def formatted(self, kind: str, text: str, attachments: dict[str, Any] | None = None) -> str | None:
        """Return a text as HTML, or None if the page has used up one of its allowances, or the text cannot be formatted."""
        if len(text) > LONGEST or self.seconds <= 0:
            return None
        html, self.seconds = FORMATTER.ask(kind, text, attachments or {}, self.seconds)
        if html is None:
            return None
        self.elements -= html.count("<")
        self.characters -= len(html)
        if self.elements < 0 or self.characters < 0:
            self.seconds = 0.0  # nothing more of this page is formatted
            return None
        return html

    def as_typed(self, text: str) -> str:
        """Return a text as HTML without formatting, cut where the page becomes too long."""
        text = in_order(text)
        shown, self.typed = text[: self.typed], max(0, self.typed - len(text))
        return escape(shown if len(shown) == len(text) else shown + _CUT, quote=False)


class Formatter:
    """The process of ``formatter.py``: started when first needed, and again after a page that it could not bear."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._lock = Lock()

    def ask(self, kind: str, text: str, attachments: dict[str, Any], seconds: float) -> tuple[str | None, float]:
        """Return the HTML of a text, or None, and the seconds that are left of those allowed."""
        question = {"kind": kind, "text": text, "attachments": attachments, "seconds": seconds}
        with self._lock:
            try:
                answer = json.loads(self._started().ask(json.dumps(question).encode()))
            except (OSError, EOFError):  # the kernel has stopped it
                self.close()
                return None, 0.0
        return answer["html"], answer["seconds"]

    def _started(self) -> Channel:
        """Return the process: the one there is, unless it has ended meanwhile, perhaps with the thread that started it."""
        if self._channel is not None and self._channel.process.poll() is not None:
            self.close()
        if self._channel is None:
            self._channel = Channel("autograder.nbgrader_plugins.formatter")
        return self._channel

    def start(self) -> None:
        """Start the process, without waiting until it is ready."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """End the process, if there is one."""
        if self._channel is not None:
            with contextlib.suppress(OSError):
                self._channel.kill()
            self._channel.close()
            self._channel = None


FORMATTER = Formatter()
atexit.register(FORMATTER.close)


def _page(context: Any) -> Allowances:
    """Return the allowances of the page that is being made: nbconvert makes new ``resources`` for each."""
    return context["resources"].setdefault("allowances", Allowances())


@pass_context
def markdown(context: Any, source: str) -> str:
    """Return a markdown cell, or a comment, as HTML that only formats. Replaces the filter ``markdown2html``."""
    page, cell = _page(context), context.get("cell", {})
    html = page.formatted("markdown", source, cell.get("attachments", {}))
    return page.style() + (f"<pre>{page.as_typed(source)}</pre>" if html is None else html)


@pass_context
def code(context: Any, source: str, metadata: Any = None) -> str:
    """Return code with colours, always as Python. Replaces the filter ``highlight_code``."""
    page = _page(context)
    html = page.formatted("code", source)
    return page.style() + (f'<div class="highlight"><pre>{page.as_typed(source)}</pre></div>' if html is None else html)


@pass_context
def text(context: Any, source: str) -> str:
    """Return printed text with the colours that it asks for. Replaces the filter ``ansi2html``."""
    page = _page(context)
    html = page.formatted("text", source) if "\x1b" in source else None
    return page.as_typed(source) if html is None else html


@pass_context
def html(context: Any, source: str) -> str:
    """Return the report of a check as a table, and everything else, such as a raw cell, as it was typed.

    Replaces the filter ``clean_html``. Only grading writes outputs with the mark ``autograder``: the sandbox returns text and
    pictures, and every cell's own metadata is made anew. MathJax leaves the class ``tex2jax_ignore`` alone: a report
    quotes what the student's code returned.
    """
    page, output = _page(context), context.get("output") or {}
    if output.get("metadata", {}).get("autograder") is True:
        return f'<div class="tex2jax_ignore">{clean_report(source)}</div>'
    return f'{page.style()}<pre class="as-typed">{page.as_typed(source)}</pre>'


def unchanged(html: str) -> str:
    """Replace the filter ``strip_files_prefix``, which repairs links of old notebooks, and takes quadratic time to find them."""
    return html
