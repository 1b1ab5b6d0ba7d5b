"""A downloaded CSV file: unchanged cells are written back byte for byte."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.grading.roster.roster import csv_rows, delimiter, without_separator_line

_WITH_COMMA, _WITH_POINT = re.compile(r"\d{1,4},\d{1,2}"), re.compile(r"\d{1,4}\.\d{1,2}")
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
#: The bytes with which a file begins, and its encoding; the mark itself stays in ``Table.before``.
_ENCODINGS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass
class Table:
    """The rows of a sheet, header first, and the original quoted text of each cell; ``before`` is a line before the header.

    ``decimal_mark`` is a comma if the sheet's numbers have one or its delimiter is a semicolon: there a spreadsheet would read
    5.1 as a day in January.
    """

    path: Path
    rows: list[list[str]]
    raw: list[list[str]]
    ends: list[str]
    delimiter: str
    encoding: str
    before: str = ""
    changed: set[tuple[int, int]] = field(default_factory=set)
    decimal_mark: str = field(init=False)

    def __post_init__(self) -> None:
        cells = {cell.strip() for row in self.rows[1:] for cell in row}
        comma = any(map(_WITH_COMMA.fullmatch, cells)) or self.delimiter == ";"
        self.decimal_mark = "," if comma and not any(map(_WITH_POINT.fullmatch, cells)) else "."

    @property
    def header(self) -> list[str]:
        return self.rows[0] if self.rows else []

    def get(self, row: int, column: int) -> str:
        return self.rows[row][column] if column < len(self.rows[row]) else ""

    def put(self, row: int, column: int, text: str) -> None:
        """Write a cell; the others of its row are left alone."""
        while len(self.rows[row]) <= column:
            self.rows[row].append("")
            self.raw[row].append("")
        if self.rows[row][column] != text:
            self.rows[row][column] = text
            self.raw[row][column] = _quoted(text, self.delimiter)
            self.changed.add((row, column))

    def text(self) -> str:
        return self.before + "".join(
            self.delimiter.join(cells) + end for cells, end in zip(self.raw, self.ends, strict=True)
        )


def read_table(path: Path) -> Table:
    """Read a CSV file in the encodings in which platforms and spreadsheets write it. Raises ValueError for other files."""
    data = path.read_bytes()
    encoding = next((name for mark, name in _ENCODINGS.items() if data.startswith(mark)), "utf8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = "cp1252"
        text = data.decode(encoding, "replace")
    if "\0" in text:
        raise ValueError(f"{path} is not a CSV file. Download the sheet as CSV, not as a spreadsheet.")
    mark = _BOM if text.startswith(_BOM) else ""
    before, text = without_separator_line(text.removeprefix(mark))
    raw, ends = _split(text, separator := delimiter(text))
    rows = [[_unquoted(cell) for cell in cells] if cells != [""] else [] for cells in raw]
    if not rows or rows != csv_rows(text, separator):
        rows = csv_rows(text, separator)
        raw = [[_quoted(cell, separator) for cell in cells] for cells in rows]
        ends = ["\r\n" if "\r\n" in text else "\n"] * len(rows)
    if not rows:
        raise ValueError(f"{path} is empty. Expected the sheet that the platform hands out.")
    return Table(path, rows, raw, ends, separator, encoding, mark + before)


def write_table(table: Table, path: Path) -> None:
    """Write the sheet in its original encoding."""
    path.write_bytes(table.text().encode(table.encoding, "replace"))


def _split(text: str, separator: str) -> tuple[list[list[str]], list[str]]:
    """Return the original text of the cells of each row, with their quotation marks, and the line ending of each row."""
    quoted = r'"(?:[^"]|"")*"'
    cell = re.compile(rf"({quoted}|[^{re.escape(separator)}\r\n]*)({re.escape(separator)}|\r\n|\n|\r|\Z)")
    rows: list[list[str]] = [[]]
    ends: list[str] = []
    place = 0
    while place < len(text):
        match = cell.match(text, place)
        if match is None:  # a quotation mark in the middle of a cell; the caller reads it with the csv module
            return [], []
        rows[-1].append(match[1])
        place = match.end()
        if match[2] != separator:
            ends.append(match[2])
            rows.append([])
        elif place == len(text):
            rows[-1].append("")
    ends += [""] * (len([row for row in rows if row]) - len(ends))
    return [row for row in rows if row], ends


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell[:1] == '"' and cell[-1:] == '"' and len(cell) > 1 else cell


def _quoted(text: str, separator: str) -> str:
    needs = any(mark in text for mark in (separator, '"', "\n", "\r")) or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if needs else text


def column(header: Sequence[str], *titles: str) -> int | None:
    """Return the index of the first column with one of these titles, ignoring case and surrounding spaces."""
    titles_in_file = [title.strip().strip(_BOM).casefold() for title in header]
    return next(
        (titles_in_file.index(title.casefold()) for title in titles if title.casefold() in titles_in_file), None
    )
