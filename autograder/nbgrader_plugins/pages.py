"""Filters for nbconvert's templates, to show students' text in feedback and formgrader without executing any of it.

A student's text and output are formatted in another process, as long as the page's allowances last, and otherwise shown as typed.
A style sheet confines them to their place on the page.
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

#: Nothing in a cell is drawn outside it, wherever it or MathJax positions it (``contain``); no character in it changes the
#: direction of the page's own text (``unicode-bidi``); and it fills at most a few screens. nbgrader's templates nest a second
#: ``#notebook-container`` in the first.
CSS = """
.text_cell_render, .input_area, .output_area, pre.as-typed {
  contain: content; unicode-bidi: isolate; overflow: auto; max-height: 4000px;
}
.text_cell_render img, .output_area img { max-width: 100%; max-height: 2000px; }
.panel-body > #notebook > #notebook-container::before {
  content: "Below is the notebook as it was handed in. Points appear only above it and in the bars of framed cells.";
  display: block; padding: 0.5em 0; color: #555; font-style: italic;
}
.text_cell_render td, .text_cell_render th { padding: 1px 8px; }
.text_cell_render summary, .output_area summary { display: list-item; cursor: pointer; }
@media print { .text_cell_render, .input_area, .output_area, pre.as-typed { max-height: none; } }
"""


#: Characters of the longest text that is formatted. The longest cell of the course has five thousand.
LONGEST = 30_000
_CUT = "\n… The rest of this page is too long to be shown here. The notebook itself holds all of it."


@dataclass
class Allowances:
    """The remaining allowances of one page: seconds of processor time, elements and characters of HTML, characters as typed.

    The solutions of the course use up to 0.2 s, 40,000 elements and 400,000 characters. The last three limit the work of the
    templates, of nbconvert, which parses the whole page again, and of the browser.
    """

    seconds: float = 5.0
    elements: int = 130_000
    characters: int = 16_000_000
    typed: int = 200_000
    styled: bool = False

    def style(self) -> str:
        """Return the style sheet for the first piece of a page, and "" for others: nbgrader has no setting to add one."""
        before, self.styled = self.styled, True
        return "" if before else f"<style>{CSS}</style>"

    def formatted(self, kind: str, text: str, attachments: dict[str, Any] | None = None) -> str | None:
        """Return a text as HTML, or None if it cannot be formatted or an allowance of the page is used up."""
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
        """Return a text as HTML without formatting, truncated where the page becomes too long."""
        text = in_order(text)
        excerpt, self.typed = text[: self.typed], max(0, self.typed - len(text))
        return escape(excerpt if len(excerpt) == len(text) else excerpt + _CUT, quote=False)


class Formatter:
    """The process of ``formatter.py``: started when first needed, and again after a page has exceeded its limits."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._lock = Lock()

    def ask(self, kind: str, text: str, attachments: dict[str, Any], seconds: float) -> tuple[str | None, float]:
        """Return the HTML of a text, or None, and the remaining seconds."""
        request = {"kind": kind, "text": text, "attachments": attachments, "seconds": seconds}
        with self._lock:
            try:
                answer = json.loads(self._started().ask(json.dumps(request).encode()))
            except (OSError, EOFError):  # it exceeded a limit
                self.close()
                return None, 0.0
        return answer["html"], answer["seconds"]

    def _started(self) -> Channel:
        """Return the running process, after starting one if it has ended, perhaps with the thread that started it."""
        if self._channel is not None and self._channel.process.poll() is not None:
            self.close()
        if self._channel is None:
            self._channel = Channel("autograder.nbgrader_plugins.formatter")
        return self._channel

    def start(self) -> None:
        """Start the process without waiting until it is ready."""
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
    """Return the allowances of the current page: nbconvert creates new ``resources`` for each page."""
    return context["resources"].setdefault("allowances", Allowances())


@pass_context
def markdown(context: Any, source: str) -> str:
    """Return a Markdown cell, or a comment, as HTML with nothing but formatting. Replaces the filter ``markdown2html``."""
    page, cell = _page(context), context.get("cell", {})
    html = page.formatted("markdown", source, cell.get("attachments", {}))
    return page.style() + (f"<pre>{page.as_typed(source)}</pre>" if html is None else html)


@pass_context
def code(context: Any, source: str, metadata: Any = None) -> str:
    """Highlight code as Python, also if another language is named. Replaces the filter ``highlight_code``."""
    page = _page(context)
    html = page.formatted("code", source)
    return page.style() + (f'<div class="highlight"><pre>{page.as_typed(source)}</pre></div>' if html is None else html)


@pass_context
def text(context: Any, source: str) -> str:
    """Return printed text with its ANSI colours. Replaces the filter ``ansi2html``."""
    page = _page(context)
    html = page.formatted("text", source) if "\x1b" in source else None
    return page.as_typed(source) if html is None else html


@pass_context
def html(context: Any, source: str) -> str:
    """Return the report of a check as a table, and everything else, such as a raw cell, as typed.

    Replaces the filter ``clean_html``. Only grading writes outputs marked ``autograder``: the sandbox returns text and pictures,
    and every cell's metadata is rewritten. MathJax skips the class ``tex2jax_ignore``, needed because a report quotes results of
    the student's code.
    """
    page, output = _page(context), context.get("output") or {}
    if output.get("metadata", {}).get("autograder") is True:
        return f'<div class="tex2jax_ignore">{clean_report(source)}</div>'
    return f'{page.style()}<pre class="as-typed">{page.as_typed(source)}</pre>'


def unchanged(html: str) -> str:
    """Replace the filter ``strip_files_prefix``, which repairs links of old notebooks in quadratic time."""
    return html
