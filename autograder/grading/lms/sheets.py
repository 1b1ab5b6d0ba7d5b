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
from autograder.grading.roster.datetimes import parse_datetime
from autograder.grading.roster.roster import COLUMNS, Directory, StudentMatch, title_key

CANVAS, MOODLE, BRIGHTSPACE, OTHER = "canvas", "moodle", "brightspace", "csv"

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PARTICIPANT = re.compile(r"\D*?(\d+)")
#: The titles of Moodle's columns, in English and in the languages of its largest sites.
MOODLE_TITLES = {
    "id": ("Identifier", "ID", "Kennung", "Identifikator", "Identifiant", "Identificador", "Identificatore", "Identificatie"),
    "name": (
        "Full name", "Vollständiger Name", "Nom complet", "Nombre completo", "Nome completo", "Cognome Nome", "Volledige naam",
        "Name",
    ),
    "email": (
        "Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo", "Indirizzo email",
        "Endereço de email", "E-mailadres", "E-mail",
    ),
    "number": (
        "ID number", "ID-Nummer", "Numéro d'identification", "Número de ID", "Número de identificación", "Codice identificativo",
        "Número de identificação", "ID-nummer",
    ),
    "user": (
        "Username", "Anmeldename", "Nom d'utilisateur", "Nombre de usuario", "Nome utente", "Nome de usuário",
        "Nome de utilizador", "Gebruikersnaam",
    ),
    "grade": ("Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Nota", "Beoordeling", "Cijfer"),
    "most": (
        "Maximum grade", "Maximum Grade", "Bestwertung", "Höchste Bewertung", "Note maximale", "Calificación máxima",
        "Valutazione massima", "Nota máxima", "Maximumcijfer",
    ),
    "submitted": (
        "Last modified (submission)", "Zuletzt geändert (Abgabe)", "Dernière modification (travail remis)",
        "Última modificación (entrega)", "Ultima modifica (consegna)", "Última modificação (trabalho)",
        "Laatst gewijzigd (inzending)",
    ),
    "comments": (
        "Feedback comments", "Feedback als Kommentar", "Commentaires de feedback", "Comentarios de retroalimentación",
        "Commenti di feedback", "Comentários de feedback", "Feedback commentaar",
    ),
}  # fmt: skip
#: Moodle writes the number of a participant into each row of the first column, whatever the column is called.
_SHARE_OF_ROWS = 0.9
#: What stands first in the rows of Google Classroom's grades that are no student.
CLASSROOM_ROWS = ("Date", "Points")
#: Nothing was handed in before: a platform that knows no time may write that of 0, in 1970.
_FIRST_YEAR = 2000


@dataclass(frozen=True)
class Row:
    """One student's row of a sheet. ``key`` is the platform's id of this student."""

    number: int
    who: StudentMatch
    key: str


def kind_of(table: Table) -> str:
    """Return the platform that a sheet comes from."""
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
    """Return the place of a column of Moodle's worksheet, perhaps translated."""
    return 0 if name == "id" else column(table.header, *MOODLE_TITLES[name])


def rows_of(table: Table, kind: str) -> Iterator[Row]:
    """Yield the rows that are students."""
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
    match = _PARTICIPANT.fullmatch(table.get(number, 0).strip())
    if match is None:
        return None
    name = moodle_column(table, "name")
    columns = [moodle_column(table, title) for title in ("number", "user", "email")]
    if (
        name is None
    ):  # in a language that we do not know: Moodle writes the name second, and addresses look the same everywhere
        name = 1
        columns += [place for place, cell in enumerate(table.rows[number]) if _ADDRESS.fullmatch(cell.strip())]
    ids = tuple(filter(None, [table.get(number, place).strip() for place in columns if place is not None]))
    names = tuple(filter(None, [table.get(number, name).strip() if name is not None else ""]))
    key = f"Participant {match[1]}"
    return Row(number, StudentMatch((*ids, key), names), key)


def _brightspace(table: Table, number: int) -> Row | None:
    titles = ("OrgDefinedId", "Org Defined ID"), ("Username",), ("Email",)
    places = [column(table.header, *names) for names in titles]
    ids = [table.get(number, place).strip().removeprefix("#") for place in places if place is not None]
    parts = [column(table.header, title) for title in ("First Name", "Last Name")]
    name = " ".join(table.get(number, place) for place in parts if place is not None).strip()
    who = StudentMatch(tuple(filter(None, ids)), (name,) if name else ())
    return Row(number, who, who.ids[0] if who.ids else name) if who.ids or who.names else None


def _other(table: Table, number: int) -> Row | None:
    """Read a row of any other sheet by the titles that a roster may have."""
    titles = [title_key(title) for title in table.header]
    cells = {
        name: table.get(number, titles.index(title)).strip()
        for name, aliases in COLUMNS.items()
        for title in aliases
        if title in titles
    }
    ids = tuple(filter(None, (cells.get(name, "") for name in ("id", "login", "email"))))
    if table.get(number, 0).strip() in CLASSROOM_ROWS and not cells.get("email", "-"):
        return None
    full = cells.get("name") or f"{cells.get('first_name', '')} {cells.get('last_name', '')}".strip()
    return Row(number, StudentMatch(ids, (full,) if full else ()), ids[0] if ids else full) if ids or full else None


@dataclass
class SheetTimes:
    """Submission times from a sheet, by student; ``unparsed`` holds the texts that could not be read as a time."""

    times: dict[str, datetime] = field(default_factory=dict)
    unparsed: dict[str, str] = field(default_factory=dict)


def learn_aliases(path: Path, directory: Directory, timezone: tzinfo) -> SheetTimes:
    """Add the platform's ids to the directory, and return the submission times that the sheet has.

    Raises ValueError if no row names a student of the class.
    """
    table = read_table(path)
    kind = kind_of(table)
    column = moodle_column(table, "submitted") if kind == MOODLE else None
    rows = list(rows_of(table, kind))
    student_of = directory.place(row.who for row in rows)
    sheet = SheetTimes()
    for row in rows:
        if row.who not in student_of:
            continue
        student = student_of[row.who].id
        directory.add_alias(row.key, student)
        text = table.get(row.number, column).strip() if column is not None else ""
        if text in ("", "-"):
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
        raise ValueError(
            f"{path} names nobody of the class. Expected the sheet of the platform, with a row for each student."
        )
    return sheet
