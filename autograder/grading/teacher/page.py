"""A teacher's pages: one file without a network. Whatever a student wrote is escaped; the only script is the page's own."""

import base64
import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.grading.console import readable_lines
from autograder.grading.lms.grades import number

_HERE = Path(__file__).with_name("templates")
_LONGEST_ANSWER = 3_000


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "clipped": _clipped, "breakable": _breakable}
    return made


def _printable(value: Any) -> Any:
    """Return a value for the page: text without control characters, some of which reverse the text around them."""
    return "\n".join(readable_lines(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_ANSWER else text[:_LONGEST_ANSWER] + "\n…"


def _breakable(name: str) -> Markup:
    """Return a name that a browser may break after its underscores, and nowhere else."""
    return escape(name).replace("_", Markup("_&#8203;"))  # a space of no width; <wbr> would not survive the script


def render(template: str, name: str = "report", **values: Any) -> str:
    """Return a page with the script and the style of this ``name``. Its policy for scripts allows only this one."""
    script, digest = script_of(name)
    styles = [_HERE / "report.css", *([_HERE / f"{name}.css"] if name != "report" else [])]
    style = "".join(path.read_text(encoding="utf8") for path in styles)
    page = _environment().get_template(template)
    made = datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z")
    # Ours, and without "</": autoescaping would change quotation marks, and with them the script's hash.
    assert "</" not in script + style
    return page.render(script=Markup(script), style=Markup(style), script_hash=digest, made=made, **values)


def script_of(name: str) -> tuple[str, str]:
    """Return a page's script and its hash, as a browser compares it with the page's policy."""
    script = (_HERE / f"{name}.js").read_text(encoding="utf8")
    return script, base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
