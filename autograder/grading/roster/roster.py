"""The roster: one CSV file, ``grading/roster.csv``, that says who is in the class.

Its columns: ``id`` (needed), ``last_name`` and ``first_name`` or ``name``, ``email``, ``login``, ``section``, ``group``,
``extension`` (``01-attention: +3; 02-multi-head-attention: 2026-11-02 23:59``) and ``excused`` (``05-captioning; 08-vit``).
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from autograder.grading.roster.datetimes import extension
from autograder.grading.roster.names import folded

#: The columns, each with other names for it, compared without case and punctuation.
COLUMNS = {
    "id": ("id", "studentid", "sid", "idnumber", "sisuserid", "orgdefinedid", "username"),
    "last_name": ("lastname", "surname", "familyname"),
    "first_name": ("firstname", "givenname"),
    "name": ("name", "fullname", "student"),
    "email": ("email", "emailaddress", "mail"),
    "login": ("login", "loginid", "sisloginid", "user"),
    "section": ("section", "sections", "tutorial"),
    "group": ("group", "team"),
    "extension": ("extension", "extensions"),
    "excused": ("excused", "exempt"),
}


@dataclass(frozen=True)
class Student:
    """One member of the class. ``extensions`` maps an assignment to more time, or to a due date of its own."""

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    group: str = ""
    extensions: Mapping[str, timedelta | datetime] = field(default_factory=dict)
    excused: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name as people say it, or the id if none is known."""
        return f"{self.first_name} {self.last_name}".strip() or self.id

    def is_excused(self, assignment: str) -> bool:
        return bool(self.excused & {assignment, "all"})


@dataclass(frozen=True)
class Roster:
    """The class, in the order of the file."""

    students: tuple[Student, ...] = ()

    def __iter__(self) -> Iterator[Student]:
        return iter(self.students)

    @property
    def groups(self) -> dict[str, list[str]]:
        """The ids of the members of each group."""
        found: dict[str, list[str]] = {}
        for student in self.students:
            if student.group:
                found.setdefault(student.group, []).append(student.id)
        return {name: members for name, members in found.items() if len(members) > 1}


def read_roster(path: Path, here: tzinfo, assignments: Sequence[str] = ()) -> Roster:
    """Read the roster; empty if there is no such file. Raises ValueError with the line that is wrong.

    ``here`` is the time zone of its dates. With ``assignments``, another name in the file is an error.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Roster()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8. Save it as CSV with the encoding UTF-8.") from None
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text)))
    columns = _columns(path, rows[0] if rows else [])
    students: dict[str, Student] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        given = {name: row[place].strip() if place < len(row) else "" for name, place in columns.items()}
        try:
            student = _student(given, here, assignments)
            if folded(student.id) in students:
                raise ValueError(f"the id {student.id!r} is there twice")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        students[folded(student.id)] = student
    return Roster(tuple(students.values()))


def delimiter(text: str) -> str:
    """Return what separates the cells of a CSV file: spreadsheets in some languages write a semicolon, others a tab."""
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _columns(path: Path, header: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, title in enumerate(header):
        said = "".join(letter for letter in title.casefold() if letter.isalnum())
        for name, titles in COLUMNS.items():
            if said in titles:
                found.setdefault(name, place)
    if "id" not in found:
        raise ValueError(f"{path} has no column id. Expected a header with id and any of: {', '.join(COLUMNS)}.")
    return found


def _student(given: Mapping[str, str], here: tzinfo, assignments: Sequence[str]) -> Student:
    who = given["id"]
    if not who or who.startswith(".") or "/" in who or "\0" in who:
        raise ValueError(f"expected an id that can be the name of a folder, but got {who!r}")
    last, first = given.get("last_name", ""), given.get("first_name", "")
    if not last and not first and (name := given.get("name", "")):
        last, first = (name.split(",", 1) if "," in name else [*name.rsplit(" ", 1)[::-1], ""])[:2]
    extensions = {}
    for item in _items(given.get("extension", "")):
        which, colon, said = item.partition(":") if "=" not in item else item.partition("=")
        if not colon:
            raise ValueError(f"expected an extension such as '01-attention: +3', but got {item!r}")
        extensions[_known(which.strip(), assignments)] = extension(said.strip(), here)
    excused = [_known(item, assignments) if item != "all" else item for item in _items(given.get("excused", ""))]
    more = {name: given.get(name, "") for name in ("email", "login", "section", "group")}
    return Student(who, last.strip(), first.strip(), **more, extensions=extensions, excused=frozenset(excused))


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


def _known(assignment: str, assignments: Sequence[str]) -> str:
    if assignments and assignment not in assignments:
        raise ValueError(f"there is no assignment {assignment!r}. Expected one of: {', '.join(assignments)}")
    return assignment
