"""The pages that show students' text: feedback and formgrader. The text is formatted, and none of it is executed."""

import re
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

_TAGS = {
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
}
_NAMES = {"alt", "class", "colspan", "id", "rowspan", "title", "width", "height", "align"}
_PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*")
_LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)


def _allowed(tag: str, name: str, value: str) -> bool:
    """Allow formatting, links to the web or within the page, and pictures embedded in the page."""
    if tag == "img" and name == "src":
        return bool(_PICTURE.fullmatch(value))
    if tag == "a" and name == "href":
        return bool(_LINK.match(value))
    return name in _NAMES


@pass_context
def markdown(context: Any, source: str) -> str:
    """Return a markdown cell as HTML without active content. Replaces nbconvert's filter ``markdown2html``."""
    cell = context.get("cell", {})
    renderer = IPythonRenderer(escape=False, attachments=cell.get("attachments", {}), exclude_anchor_links=True)
    return clean(MarkdownWithMath(renderer=renderer).render(source))


def clean(html: str) -> str:
    """Return HTML without scripts, styles, forms, frames and event handlers; other disallowed tags appear as text."""
    return bleach.clean(html, tags=_TAGS, attributes=_allowed, protocols={"http", "https", "mailto", "data"})
