"""Recognise a learning platform's CSV file: its columns, and the student of each row.

Canvas: ``gradebook_importer.rb`` of Canvas takes ``Student`` and ``ID`` in front, then perhaps ``SIS User ID``, ``SIS Login ID``
and ``Section``, and a column ``Title (ID)`` for each assignment; a row whose first cell holds ``Points Possible`` is no student.
Moodle: ``importgradeslib.php`` of ``assignfeedback_offline`` finds its columns by their titles in the user's language, and takes
the number at the end of the first one, ``Participant 123``. Brightspace: ``OrgDefinedId`` and ``Username`` with a ``#`` in front,
columns ``Title Points Grade <Numeric MaxPoints:10 …>``, and ``#`` at the end of each line. Blackboard's columns are called
``Title [Total Pts: 10 Score] |123``, and Google Classroom has rows ``Date`` and ``Points`` before those of students; both
are read as any other sheet.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from autograder.grading.lms.csv_table import Table, column, read_table
from autograder.grading.roster.column_titles import COLUMNS, MOODLE_COLUMNS, find_columns, title_key
from autograder.grading.roster.datetimes import parse_datetime
from autograder.grading.roster.roster import Directory, StudentMatch, whole_name

CANVAS, MOODLE, BRIGHTSPACE, OTHER = "canvas", "moodle", "brightspace", "csv"

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PARTICIPANT = re.compile(r"\D*?(\d+)")
#: Moodle writes the number of a participant into each row of the first column, whatever the column is called.
_SHARE_OF_ROWS = 0.9
#: What stands first in the rows of Google Classroom's grades that are no student.
CLASSROOM_ROWS = ("Date", "Points")
#: Moodle's texts for a missing submission.
_NOT_HANDED_IN = frozenset(("", "-"))
#: A date with a year of four digits and a clock, in any language: also one that cannot be read is reported.
_TIME_LIKE = re.compile(r"(?=.*(?<!\d)\d{4}(?!\d))(?=.*(?<!\d)\d{1,2}[:.]\d\d(?!\d)).{12,80}", re.DOTALL)
#: Nothing was handed in before: a platform that knows no time may write that of 0, in 1970.
_FIRST_YEAR = 2000


@dataclass(frozen=True)
class Row:
    """One student's row of a sheet. ``key`` is the platform's id of this student."""

    number: int
    student_match: StudentMatch
    key: str


def kind_of(table: Table) -> str:
    """Return the platform from which a sheet comes."""
    titles = [title.strip() for title in table.header]
    if len(titles) > 2 and "ID" in titles[:4] and ("Student" in titles[0] or titles[:2] == ["LastName", "FirstName"]):
        return CANVAS
    if (
        column(titles, "OrgDefinedId", "Org Defined ID") is not None
        or column(titles, "End-of-Line Indicator") is not None
    ):
        return BRIGHTSPACE
    rows = [row[0] for row in table.rows[1:] if row]
    fits = sum(bool(_PARTICIPANT.fullmatch(cell.strip()) and not cell.strip().isdigit()) for cell in rows)
    if rows and fits >= _SHARE_OF_ROWS * len(rows):
        return MOODLE
    return OTHER


def moodle_column(table: Table, name: str) -> int | None:
    """Return the index of a column of Moodle's worksheet, whose title may be translated."""
    titles = (title_key(title) for title in table.header)
    place = next((place for place, title in enumerate(titles) if place and title in MOODLE_COLUMNS[name]), None)
    return _time_column(table) if place is None and name == "submitted" else place


def _time_column(table: Table) -> int | None:
    """Return the first column in which every cell is empty or holds a date and a time of day.

    In every language, Moodle writes the submission time before the time of grading.
    """
    for place in range(1, len(table.header)):
        cells = {table.get(row, place).strip() for row in range(1, len(table.rows))} - _NOT_HANDED_IN
        if cells and all(map(_TIME_LIKE.fullmatch, cells)):
            return place
    return None


def rows_of(table: Table, kind: str) -> Iterator[Row]:
    """Yield the rows of students."""
    find = {CANVAS: _canvas, MOODLE: _moodle, BRIGHTSPACE: _brightspace}.get(kind, _other)
    for number in range(1, len(table.rows)):
        if any(cell.strip() for cell in table.rows[number]):
            row = find(table, number)
            if row is not None:
                yield row


def _canvas(table: Table, number: int) -> Row | None:
    first = table.get(number, 0)
    at = {name: column(table.header, title) for name, title in _CANVAS_IDS.items()}
    key = table.get(number, at["id"]).strip() if at["id"] is not None else ""
    sis = [table.get(number, place).strip() for name in ("login", "sis") if (place := at[name]) is not None]
    if "Points Possible" in first or not (first.strip() and (key or any(sis))):
        return None  # the row of maxima, and those that say how grades are posted
    split = table.header[0].strip() == "LastName"
    name = f"{table.get(number, 1)} {first}" if split else first
    return Row(number, StudentMatch((f"Canvas {key}", *filter(None, sis)), (name,)), f"Canvas {key}")


_CANVAS_IDS = {"id": "ID", "sis": "SIS User ID", "login": "SIS Login ID"}


def _moodle(table: Table, number: int) -> Row | None:
    first = table.get(number, 0).strip()
    match = _PARTICIPANT.fullmatch(first)
    if match is None:
        return None
    name = moodle_column(table, "name")
    name = 1 if name is None else name  # Moodle writes it second, in any language
    of_person = {*COLUMNS["id"], *COLUMNS["login"], *COLUMNS["email"]}
    cells = list(enumerate(cell.strip() for cell in table.rows[number]))[1:]
    titles = [title_key(title) for title in table.header]
    ids = [cell for place, cell in cells if place < len(titles) and titles[place] in of_person]
    ids += [cell for _, cell in cells if _ADDRESS.fullmatch(cell)]  # these look the same in every language
    names = tuple(filter(None, [table.get(number, name).strip()]))
    key = f"Participant {match[1]}"
    return Row(number, StudentMatch((*dict.fromkeys(filter(None, ids)), key, first), names), key)


def _brightspace(table: Table, number: int) -> Row | None:
    titles = ("OrgDefinedId", "Org Defined ID"), ("Username",), ("Email",)
    places = [column(table.header, *names) for names in titles]
    ids = [table.get(number, place).strip().removeprefix("#") for place in places if place is not None]
    parts = [column(table.header, title) for title in ("First Name", "Last Name")]
    name = " ".join(table.get(number, place) for place in parts if place is not None).strip()
    student_match = StudentMatch(tuple(filter(None, ids)), (name,) if name else ())
    return (
        Row(number, student_match, student_match.ids[0] if student_match.ids else name)
        if student_match.ids or student_match.names
        else None
    )


def _other(table: Table, number: int) -> Row | None:
    """Read a row of any other sheet by the column titles known from rosters."""
    cells = {name: table.get(number, place).strip() for name, place in find_columns(table.header).items()}
    if table.get(number, 0).strip() in CLASSROOM_ROWS and not cells.get("email", "-"):
        return None
    more = [table.get(number, n).strip() for n, title in enumerate(table.header) if title_key(title) in COLUMNS["id"]]
    ids = tuple(filter(None, dict.fromkeys((*more, cells.get("login", ""), cells.get("email", "")))))
    last, first = whole_name(cells)
    full = f"{first} {last}".strip()
    return Row(number, StudentMatch(ids, (full,) if full else ()), ids[0] if ids else full) if ids or full else None


@dataclass
class SheetTimes:
    """Submission times from a sheet, by student; ``unparsed`` holds the texts that could not be read as a time.

    ``names`` are the students' names in the sheet, by the platform's id.
    """

    times: dict[str, datetime] = field(default_factory=dict)
    unparsed: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def learn_aliases(path: Path, directory: Directory, timezone: tzinfo) -> SheetTimes:
    """Add the platform's ids to the directory, and return the submission times in the sheet.

    Raises ValueError if no row names a student of the class.
    """
    table = read_table(path)
    kind = kind_of(table)
    column = moodle_column(table, "submitted") if kind == MOODLE else None
    rows = list(rows_of(table, kind))
    student_of = directory.place(row.student_match for row in rows)
    sheet = SheetTimes()
    for row in rows:
        if row.student_match not in student_of:
            continue
        student = student_of[row.student_match].id
        directory.add_alias(row.key, student)
        sheet.names[row.key] = next(iter(row.student_match.names), "")
        text = table.get(row.number, column).strip() if column is not None else ""
        if text in _NOT_HANDED_IN:
            continue  # there is no hand-in
        try:
            when = parse_datetime(text, timezone)
        except ValueError:
            when = None
        if when is None or when.year < _FIRST_YEAR:
            sheet.unparsed[student] = text
        else:
            sheet.times[student] = when
    if not student_of:
        hidden = kind == MOODLE and len({row.student_match.names for row in rows}) < len(rows)
        raise ValueError(
            f"{path} names nobody of the class. "
            + (
                "It seems to be of an anonymous assignment: reveal student identities in Moodle, and download it again."
                if hidden
                else "Expected the sheet of the platform, with a row for each student."
            )
        )
    return sheet
