"""Formulas as MathML, which browsers draw themselves: no script, and no network.

The output of latex2mathml is parsed and rewritten with known elements and attributes only: a student's formula may contain
``\\href`` and ``\\style``.
"""

import re
from collections.abc import Callable
from html import escape, unescape
from xml.etree import ElementTree as Xml

#: Characters. Longer formulas are shown as typed.
LONGEST = 4_000
_DEEPEST = 60
_TAGS = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "mmultiscripts", "mprescripts", "none",
}  # fmt: skip
_ATTRIBUTES = {
    "display", "stretchy", "fence", "form", "accent", "accentunder", "width", "mathvariant", "linethickness", "columnalign",
    "columnspacing", "rowspacing", "movablelimits", "largeop", "symmetric", "minsize", "maxsize", "separator", "displaystyle",
    "scriptlevel", "lspace", "rspace",
}  # fmt: skip
_VALUE = re.compile(r"-?[a-z0-9. %-]{1,30}", re.IGNORECASE)
_WIDTH = re.compile(r"-?\d{0,2}(\.\d+)?(em|ex|px)?")
#: Environments that differ only in LaTeX, and latex2mathml's names for them.
_ENVIRONMENTS = {"aligned": "align", "gathered": "align", "equation": "", "equation*": "", "split": "align"}


def mathml(latex: str, display: bool) -> str | None:
    """Return a formula as MathML, or None if it cannot be converted."""
    from latex2mathml.converter import convert

    if len(latex) > LONGEST:
        return None
    for name, replacement in _ENVIRONMENTS.items():
        for word in ("begin", "end"):
            latex = latex.replace(f"\\{word}{{{name}}}", f"\\{word}{{{replacement}}}" if replacement else "")
    latex = re.sub(r"\\(arg|deg|dim|hom|ker|lcm)(?![A-Za-z])", r"\\operatorname{\1}", latex)
    try:
        mathml_text = convert(latex, display="block" if display else "inline")
        root = Xml.fromstring(re.sub(r"&(?!#?\w+;)", "&amp;", mathml_text))
        return _rebuild(root, 0)
    except Exception:  # latex2mathml raises many kinds of errors for unsupported formulas
        return None


def _rebuild(element: Xml.Element, depth: int) -> str:
    if depth > _DEEPEST:
        raise ValueError("a formula that is nested too deeply")
    name = element.tag.rpartition("}")[2]
    name = name if name in _TAGS else "mrow"
    attributes = "".join(
        f' {key}="{value}"'
        for key, value in sorted(element.attrib.items())
        if key in _ATTRIBUTES and (_WIDTH if key == "width" else _VALUE).fullmatch(value)
    )
    inside = escape(unescape(element.text or "").strip("\n"), quote=False)
    inside += "".join(_rebuild(child, depth + 1) for child in element)
    return f"<{name}{attributes}>{inside}</{name}>"


class Formulas:
    """The formulas of one text. Placeholders represent them in the HTML until it has been cleaned.

    So no MathML passes through the sanitiser, and a placeholder inside a tag becomes plain text.
    """

    def __init__(self, nonce: str):
        self.nonce, self.pairs = nonce, list[tuple[str, str]]()

    def mark(self, latex: str, display: bool) -> str:
        """Return a placeholder for a formula."""
        html = mathml(latex.strip(), display)
        rendered = f"<code>{escape(latex)}</code>" if html is None else html
        self.pairs.append((rendered, latex))
        return f"formula{self.nonce}n{len(self.pairs) - 1}e"

    def put_in(self, clean: str) -> str:
        """Replace the placeholders in cleaned HTML by their formulas; inside a tag, by their LaTeX."""
        mark = re.compile(rf"formula{self.nonce}n(\d+)e")
        parts = re.split(r"(<[^>]*>)", clean)
        for place, part in enumerate(parts):
            fill: Callable[[re.Match[str]], str] = self._plain if part.startswith("<") else self._formula
            parts[place] = mark.sub(fill, part)
        return "".join(parts)

    def _formula(self, match: re.Match[str]) -> str:
        return self.pairs[int(match[1])][0]

    def _plain(self, match: re.Match[str]) -> str:
        return escape(self.pairs[int(match[1])][1]).replace("&lt;", "‹").replace("&gt;", "›")
