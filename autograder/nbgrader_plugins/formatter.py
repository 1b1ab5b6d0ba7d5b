"""The process that formats students' text: ``python -m autograder.nbgrader_plugins.formatter``, started by ``pages.py``.

Markdown, highlighting and HTML repair all take quadratic time or memory for some inputs, and new such inputs are found every
year. So a limit on the length is not enough. The operating system ends this process when a page has used up its processor time,
even inside a regular expression, or needs too much memory; the page then shows the rest of the text as typed. On Windows, which
has neither limit, the process ends at the first request, and pages show all text as typed.
"""

import contextlib
import json
import secrets
import signal
import time
from collections.abc import Callable
from typing import Any

from nbconvert.filters.ansi import ansi2html
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.grading.run.pool import inside, read_frame, write_frame
from autograder.nbgrader_plugins.mathematics import Formulas
from autograder.nbgrader_plugins.sanitise import clean, in_order

#: Bytes of address space. An ordinary page needs 0.2 GB.
MEMORY = 1_500_000_000


def main() -> None:
    """Answer requests until the input ends. Each answer contains the HTML, or null, and the page's remaining seconds."""
    requests, answers = inside()
    _limit_memory()
    while True:
        try:
            request = json.loads(read_frame(requests))
        except EOFError:
            return
        used = -time.process_time()
        signal.setitimer(signal.ITIMER_PROF, request["seconds"])  # SIGPROF ends a process that does not handle it
        html = _format(request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        used += time.process_time()
        write_frame(answers, json.dumps({"html": html, "seconds": request["seconds"] - used}).encode())


def _limit_memory() -> None:
    import resource

    with contextlib.suppress(ValueError, OSError):  # macOS does not support it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _format(request: dict[str, Any]) -> str | None:
    """Return one piece of text as HTML, or None if it cannot be formatted."""
    try:
        return FORMATS[request["kind"]](request["text"], request["attachments"])
    except Exception:  # of mistune, Pygments or the sanitiser; the text is then shown as typed
        return None


class _WithFormulas(IPythonRenderer):
    """Renders formulas as placeholders, to be replaced by MathML after the HTML has been cleaned."""

    def __init__(self, formulas: Formulas, attachments: dict[str, Any]):
        super().__init__(escape=False, attachments=attachments, exclude_anchor_links=True)
        self.formulas = formulas

    def block_math(self, body: str) -> str:
        return f"<p>{self.formulas.mark(body, True)}</p>"

    def inline_math(self, body: str) -> str:
        return self.formulas.mark(body, False)

    def latex_environment(self, name: str, body: str) -> str:
        return f"<p>{self.formulas.mark(f'{chr(92)}begin{{{name}}}{body}{chr(92)}end{{{name}}}', True)}</p>"


def _markdown(text: str, attachments: dict[str, Any]) -> str:
    formulas = Formulas(secrets.token_hex(8))
    renderer = _WithFormulas(formulas, attachments)
    return formulas.put_in(clean(MarkdownWithMath(renderer=renderer).render(text)))


def _code(text: str, attachments: dict[str, Any]) -> str:
    return Highlight2HTML(pygments_lexer="ipython3")(in_order(text))


def _text(text: str, attachments: dict[str, Any]) -> str:
    return in_order(ansi2html(text))


FORMATS: dict[str, Callable[[str, dict[str, Any]], str]] = {"markdown": _markdown, "code": _code, "text": _text}

if __name__ == "__main__":
    main()
