"""Reduce students' HTML to formatting: no class, id, name or style, no script, no external picture or link."""

import base64
import binascii
import io
import re
import warnings

import nh3

#: Formatting elements. Any other tag appears on the page as text.
# fmt: off
TAGS = {
    "a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1",
    "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s", "small", "span", "strong",
    "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul",
}
# fmt: on
_CELL = {"colspan", "rowspan", "align"}
_ATTRIBUTES = {"*": set[str](), "a": {"href"}, "img": {"src", "alt", "width", "height"}, "ol": {"start"}}
_ATTRIBUTES |= {"td": _CELL, "th": _CELL}
_NOT_A_TAG = re.compile(rf"<(?!/?(?:{'|'.join(sorted(TAGS))})[\s/>])", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z0-9]+)")
_EMPTY = {"br", "hr", "img"}
_LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif);base64,([A-Za-z0-9+/=\s]*)")

#: Bounds: nested elements; pixels of a picture; an attribute that counts cells, or pixels of width.
DEEPEST = 60
MOST_PIXELS = 25_000_000
_NUMBERS = {"colspan": 50, "rowspan": 50, "width": 2000, "height": 2000, "start": 100_000}

#: CSS properties of the report's own table. None of them positions anything.
# fmt: off
_REPORT_PROPERTIES = {
    "background", "border", "border-collapse", "border-left", "caption-side", "color", "display", "font-size", "font-weight",
    "margin", "max-width", "min-width", "overflow-wrap", "overflow-x", "padding", "padding-left", "table-layout", "text-align",
    "vertical-align", "white-space", "width",
}
# fmt: on
#: Its attributes: style, and those for screen readers and the keyboard.
_REPORT_ATTRIBUTES = {"*": {"style", "role", "aria-label"}, "th": {"scope", "style"}, "td": {"colspan", "style"}}
_REPORT_ATTRIBUTES |= {"div": {"style", "role", "aria-label", "tabindex"}}

#: Characters that reverse or override the direction of the following text, and those that control a terminal.
_CONTROLS = (code for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r")
_ORDER = {code: f"[U+{code:04X}]" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *_CONTROLS)}


def in_order(text: str) -> str:
    """Replace every invisible character that affects others, such as U+202E, by its code point in text: [U+202E]."""
    return text.translate(_ORDER)


def clean(html: str) -> str:
    """Reduce HTML to formatting, with every element closed, in a form that a browser parses unchanged.

    Raises ValueError if elements are nested too deeply, or if no such form is found.
    """
    html = _NOT_A_TAG.sub("&lt;", html)
    for _ in range(3):
        # A browser repairs HTML that it parses. Only HTML that needs no repair is certain to stay in its place.
        html, before = in_order(_cleaned(html)), html
        if html == before:
            break
    else:
        raise ValueError("HTML that changes each time it is parsed")
    if _depth(html) > DEEPEST:
        raise ValueError("elements that are nested too deeply")
    return html


def clean_report(html: str) -> str:
    """Sanitise the table of a check, keeping its style. It quotes results of the student's code."""
    return nh3.clean(
        in_order(html),
        tags=TAGS,
        attributes=_REPORT_ATTRIBUTES,
        filter_style_properties=_REPORT_PROPERTIES,
        link_rel=None,
    )


def _cleaned(html: str) -> str:
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_value,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _value(tag: str, name: str, value: str) -> str | None:
    """Return the permitted value of an attribute, or None to drop it. Angle brackets are removed, so that tags can be counted."""
    if name in _NUMBERS:
        return str(min(int(value), _NUMBERS[name])) if re.fullmatch(r"[0-9]{1,9}", value) else None
    if name == "src":
        return value if _is_picture(value) else None
    if name == "href" and not _LINK.match(value):
        return None
    return value.replace("<", "‹").replace(">", "›")


def _is_picture(address: str) -> bool:
    """Return whether an address is a data URL with a PNG, JPEG or GIF of reasonable size."""
    from PIL import Image

    match = _PICTURE.fullmatch(address)
    if match is None:
        return False
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(base64.b64decode(match[1]))) as picture:
            return picture.format in ("PNG", "JPEG", "GIF") and picture.width * picture.height <= MOST_PIXELS
    except (OSError, ValueError, SyntaxError, binascii.Error, Image.DecompressionBombError):
        return False


def _depth(html: str) -> int:
    """Return the nesting depth of HTML in which every element is closed."""
    depth = deepest = 0
    for end, name in _TAG.findall(html):
        if name not in _EMPTY:
            depth += -1 if end else 1
            deepest = max(deepest, depth)
    return deepest
