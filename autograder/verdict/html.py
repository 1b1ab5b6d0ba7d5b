"""Pieces of HTML for a notebook's output. They bring no style sheet and no script, and take their colours from the theme.

Text has the theme's own colour, so that it can be read on light and on dark ground; only edges are coloured. A table never
becomes wider than its output: what is too wide scrolls in its own place.
"""

import re
from collections.abc import Iterable
from html import escape

#: Colours of edges: Okabe and Ito's, which stand out on white and on black, also for colour-blind eyes.
RIGHT, WRONG, PART, ADVICE = "#0072b2", "#d55e00", "#cc79a7", "#e69f00"

#: A table as wide as its output, up to a width that reads well; the second column has the width of "10.5 of 11.5".
_TABLE = "width:100%;min-width:18em;max-width:60em;table-layout:fixed;border-collapse:collapse;text-align:left;margin:0.4em 0"
_CAPTION = "caption-side:top;text-align:left;padding:2px 0;overflow-wrap:anywhere"
_HEAD = "text-align:{side};padding:2px 8px;font-weight:normal;font-size:85%{width}"
_CELL = "text-align:{side};vertical-align:top;padding:2px 8px;white-space:normal;overflow-wrap:anywhere"


def table(caption: str, heads: Iterable[str], rows: Iterable[str], last: str = "6.5em") -> str:
    """Return a table with a caption and headed columns. The ``last`` column, of that width, is aligned to the right."""
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


def row(first: str, *others: str, edge: str = "") -> str:
    """Return a row of a table: its header, already escaped, and its other cells; ``edge`` colours its left border."""
    style = _CELL.format(side="left") + ";font-weight:normal" + (f";border-left:4px solid {edge}" if edge else "")
    sides = [*["left"] * (len(others) - 1), "right"]
    cells = "".join(
        f'<td style="{_CELL.format(side=side)}">{cell}</td>' for cell, side in zip(others, sides, strict=True)
    )
    return f'<tr style="background:transparent"><th scope="row" style="{style}">{first}</th>{cells}</tr>'


def spanning_row(inside: str, columns: int, edge: str = "") -> str:
    """Return a row with one cell over all columns, which belongs to the row above it."""
    style = _CELL.format(side="left") + (f";border-left:4px solid {edge}" if edge else "")
    return f'<tr style="background:transparent"><td colspan="{columns}" style="{style}">{inside}</td></tr>'


def for_screen_reader(sign: str, name: str) -> str:
    """Return a sign that is read aloud by its name."""
    return f'<span role="img" aria-label="{escape(name)}">{escape(sign)}</span>'


def with_code(sentence: str) -> str:
    """Escape a sentence, and format text between backticks as code and a word between asterisks as stressed."""
    parts = escape(sentence).split("`")  # every other one is code, in which an asterisk is a product
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    shown = [
        f"<code>{part}</code>" if n % 2 else re.sub(r"(?<![\w*])\*(\w+)\*(?![\w*])", r"<em>\1</em>", part)
        for n, part in enumerate(parts)
    ]
    return "".join(shown)


def collapsible(title: str, inside: str) -> str:
    """Return what unfolds on a click."""
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def animated(text: str) -> str:
    """Return a line that moves while something is done."""
    return f'<progress aria-label="{escape(text)}" style="width:8em;vertical-align:middle"></progress> {escape(text)}'
