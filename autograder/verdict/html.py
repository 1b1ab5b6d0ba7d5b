"""HTML elements for a notebook's output, without a style sheet or a script, in the colours of the theme.

Text has the theme's own colour, legible on light and dark backgrounds; only borders are coloured. A table is never wider than its
output area: wide content scrolls inside it.
"""

import re
from collections.abc import Iterable
from html import escape

#: Colours of edges, by Okabe and Ito: distinct on white and on black, also for colour-blind readers.
RIGHT, WRONG, PART, ADVICE = "#0072b2", "#d55e00", "#cc79a7", "#e69f00"

#: A table as wide as its output, up to a readable width; the second column fits "10.5 of 11.5".
_TABLE = "width:100%;min-width:18em;max-width:60em;table-layout:fixed;border-collapse:collapse;text-align:left;margin:0.4em 0"
_CAPTION = "caption-side:top;text-align:left;padding:2px 0;overflow-wrap:anywhere"
_HEAD = "text-align:{side};padding:2px 8px;font-weight:normal;font-size:85%{width}"
_CELL = "text-align:{side};vertical-align:top;padding:2px 8px;white-space:normal;overflow-wrap:anywhere"


def table(caption: str, heads: Iterable[str], rows: Iterable[str], last: str = "6.5em") -> str:
    """Return a table with a caption and column headers. The last column is right-aligned, with the width ``last``."""
    names = list(heads)
    sides = [*["left"] * (len(names) - 1), "right"]
    widths = [*[""] * (len(names) - 1), f";width:{last}"]
    head = "".join(
        f'<th scope="col" style="{_HEAD.format(side=side, width=width)}">{escape(name)}</th>'
        for name, side, width in zip(names, sides, widths, strict=True)
    )
    return (
        f'<table style="{_TABLE}"><caption style="{_CAPTION}">{caption}</caption>'
        f'<thead><tr style="background:transparent">{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def row(first: str, *other_cells: str, edge: str = "") -> str:
    """Return a table row of a header and other cells, all escaped already; ``edge`` colours the left border."""
    style = _CELL.format(side="left") + ";font-weight:normal" + (f";border-left:4px solid {edge}" if edge else "")
    sides = [*["left"] * (len(other_cells) - 1), "right"]
    cells = "".join(
        f'<td style="{_CELL.format(side=side)}">{cell}</td>' for cell, side in zip(other_cells, sides, strict=True)
    )
    return f'<tr style="background:transparent"><th scope="row" style="{style}">{first}</th>{cells}</tr>'


def spanning_row(inside: str, columns: int, edge: str = "") -> str:
    """Return a row with one cell that spans all columns and belongs to the row above."""
    style = _CELL.format(side="left") + (f";border-left:4px solid {edge}" if edge else "")
    return f'<tr style="background:transparent"><td colspan="{columns}" style="{style}">{inside}</td></tr>'


def for_screen_reader(sign: str, name: str) -> str:
    """Return a symbol with a name that screen readers read."""
    return f'<span role="img" aria-label="{escape(name)}">{escape(sign)}</span>'


def with_code(sentence: str) -> str:
    """Escape a sentence, and format text between backticks as code and a word between asterisks as emphasis."""
    parts = escape(sentence).split("`")  # every other part is code, where an asterisk is a product
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    parts_in_html = [
        f"<code>{part}</code>" if n % 2 else re.sub(r"(?<![\w*])\*(\w+)\*(?![\w*])", r"<em>\1</em>", part)
        for n, part in enumerate(parts)
    ]
    return "".join(parts_in_html)


def collapsible(title: str, inside: str) -> str:
    """Return a section that unfolds on a click."""
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def animated(text: str) -> str:
    """Return an animated line for work in progress."""
    return f'<progress aria-label="{escape(text)}" style="width:8em;vertical-align:middle"></progress> {escape(text)}'
