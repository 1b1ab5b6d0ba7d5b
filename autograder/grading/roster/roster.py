"""The roster and the course's policy: students, aliases, due dates, extensions and penalties.

The roster's columns: ``id`` (required), ``last_name`` and ``first_name`` or ``name``, ``email``, ``login``, ``section``,
``group``, ``extension`` (``01-attention: +3; 02-multi-head-attention: 2026-11-02 23:59``) and ``excused`` (``06-captioning;
11-vit``).

``course.toml`` belongs to the teacher; the course is distributed without one, so that updates never touch it::

    timezone = "Europe/Berlin"
    optional = "bonus"   # points of optional parts make up for others; or "count": as all others (the default); or "ignore"
    [due]
    01-attention = 2026-10-05T23:59:00
    [late]
    per_day = 0.1        # this part of the points for each day begun
    cap = 0.5            # at most this part
    free_days = 3        # not charged, for each student, over the whole course
    grace_minutes = 10   # as late as this, and no later, is on time
    of = "earned"        # parts of the points earned, or "possible": of all points of the assignment
"""

import codecs
import contextlib
import csv
import difflib
import io
import math
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from itertools import permutations, product
from pathlib import Path
from typing import Any

from autograder.grading.course import Course
from autograder.grading.roster.column_titles import COLUMNS, ROSTER_COLUMNS, find_columns, title_key
from autograder.grading.roster.datetimes import extension, in_utc, zone
from course_lib.variants import casefold_name

#: Letters without a decomposition, as people write them without such a key on their keyboard.
_PLAIN = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text without separators: Canvas writes ``Lovelace, Ada`` as ``lovelaceada``."""
    return "".join(letter for letter in casefold_name(text) if letter.isalnum())


def sorted_words(text: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order: platforms disagree on the order of first and last name."""
    return tuple(sorted(re.findall(r"[^\W_]+", casefold_name(text))))


def name_variants(text: str) -> set[str]:
    """Return a text unchanged, without accents, and with umlauts written as two letters."""
    plain = casefold_name(text)
    without = "".join(letter for letter in unicodedata.normalize("NFD", plain) if not unicodedata.combining(letter))
    two_letters = unicodedata.normalize("NFC", plain).translate(_UMLAUTS)
    bare = "".join(letter for letter in unicodedata.normalize("NFD", two_letters) if not unicodedata.combining(letter))
    return {plain, without.translate(_PLAIN), bare.translate(_PLAIN)}


@dataclass(frozen=True)
class Student:
    """One member of the class. ``extensions`` maps an assignment to additional time, or to an individual due date.

    ``other_ids`` come from a platform's file with several id columns; its archives may use any of them.
    """

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    group: str = ""
    extensions: Mapping[str, timedelta | datetime] = field(default_factory=dict)
    excused: frozenset[str] = frozenset()
    other_ids: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name in spoken order, or the id if none is known."""
        return f"{self.first_name} {self.last_name}".strip() or self.id

    @property
    def label(self) -> str:
        """The id, followed by the name if one is known."""
        return f"{self.id} ({self.name})" if self.name != self.id else self.id

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
        members_of: dict[str, list[str]] = {}
        for student in self.students:
            if student.group:
                members_of.setdefault(student.group, []).append(student.id)
        return {name: members for name, members in members_of.items() if len(members) > 1}


#: Content of rows in Canvas's gradebook that are no students: the points possible, and how grades are posted.
_NO_STUDENT = {"Points Possible", "Manual Posting", "Automatic Posting"}


#: The test student with which a teacher views a course in Canvas; its login there is a digest.
_TEST_STUDENT, _TEST_LOGIN = "Student, Test", re.compile(r"[0-9a-f]{32,64}|")


def read_roster(
    path: Path, timezone: tzinfo, assignments: Sequence[str] = (), current: Callable[[str], str] = str
) -> Roster:
    """Read the roster; empty if there is no such file. Raises ValueError with the invalid line.

    ``timezone`` is the time zone of its dates. With ``assignments``, any other name in the file is an error, after ``current``
    has mapped old names to current ones.
    """
    try:
        text = _decoded(path)
    except FileNotFoundError:
        return Roster()
    before, text = without_separator_line(text)
    rows = csv_rows(text, delimiter(text))
    columns, more_ids = _columns(path, rows[0] if rows else [])
    students: dict[str, Student] = {}
    for number, row in enumerate(rows[1:], start=3 if before else 2):
        if not any(cell.strip() for cell in row):
            continue
        cells = {name: row[place].strip() if place < len(row) else "" for name, place in columns.items()}
        other_ids = [row[place].strip().removeprefix("#") for place in more_ids if place < len(row)]
        if not cells["id"] and {cell.strip() for cell in row} & _NO_STUDENT:
            continue
        if cells.get("part_of_name") == _TEST_STUDENT and "login" in cells and _TEST_LOGIN.fullmatch(cells["login"]):
            continue
        in_two_columns = f"{cells.get('last_name', '')}, {cells.get('first_name', '')}"
        if in_two_columns == _TEST_STUDENT and cells.get("login") and _TEST_LOGIN.fullmatch(cells["login"]):
            continue
        cells |= {name: cells[name].removeprefix("#") for name in ("id", "login") if name in cells}
        try:
            student = _student(cells, timezone, assignments, current)
            student = replace(student, other_ids=tuple(filter(None, other_ids)))
            if casefold_name(student.id) in students:
                raise ValueError(f"the id {student.id!r} is there twice")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        students[casefold_name(student.id)] = student
    roster = Roster(tuple(students.values()))
    for name, members in roster.groups.items():
        if len(members) > _MOST_MEMBERS:
            raise ValueError(
                f"{path}: the group {name!r} has {len(members)} members, who would hand in once, and share their points. At most "
                f"{_MOST_MEMBERS} may. If it is a tutorial, call its column section."
            )
    return roster


#: Maximum size of a group that hands in together. University lists often have the tutorial in a column of that name.
_MOST_MEMBERS = 10


def _decoded(path: Path) -> str:
    """Return the text of a roster in UTF-8, or in UTF-16, which spreadsheets call Unicode text."""
    data = path.read_bytes()
    if data[:4] == b"PK\x03\x04" or data[:4] == b"\xd0\xcf\x11\xe0":
        raise ValueError(f"{path} is a spreadsheet. Save it as CSV with the encoding UTF-8.")
    with contextlib.suppress(UnicodeDecodeError):
        text = data.decode("utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
        if "\0" not in text:  # as in UTF-16 without its mark
            return text
    raise ValueError(f"{path} is not UTF-8. Save it as CSV with the encoding UTF-8.")


def without_separator_line(text: str) -> tuple[str, str]:
    """Return the line ``sep=;``, with which some programs tell a spreadsheet the delimiter, or "", and the rest."""
    match = _SEPARATOR_LINE.match(text)
    return (match[0], text[match.end() :]) if match else ("", text)


_SEPARATOR_LINE = re.compile(r'"?sep=[,;\t]"?[,;\t]*\r?\n')


def csv_rows(text: str, separator: str) -> list[list[str]]:
    """Return the rows of a CSV file. A cell may be as long as any text that a student has typed into a platform."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def delimiter(text: str) -> str:
    """Return the delimiter of a CSV file: a comma, or the semicolon or tab that spreadsheets write in some languages."""
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _columns(path: Path, header: Sequence[str]) -> tuple[dict[str, int], list[int]]:
    """Return the indices of the columns, and those of further id columns."""
    places = find_columns(header)
    ids = [place for place, title in enumerate(header) if title_key(title) in COLUMNS["id"]]
    if len(ids) > 1:  # of a platform's file, whose archives may name students by either
        places.setdefault("login", ids[1])
    if "id" not in places and "login" in places:
        places["id"] = places["login"]
    if "id" not in places:
        titles = ", ".join(repr(title) for title in header if title.strip()) or "none"
        raise ValueError(
            f"{path} has no column id. Its columns: {titles}. Call the one that tells students apart id (addresses will do); "
            f"others that are read: {', '.join(ROSTER_COLUMNS[1:])}. The titles have to stand in the first line."
        )
    _refuse_misspelt(path, header, places)
    return places, ids[1:]


#: The columns that change points and that no platform writes. Its files have other columns, also nearly called ``group``.
_BY_HAND = ("extension", "excused")


def _refuse_misspelt(path: Path, header: Sequence[str], places: Mapping[str, int]) -> None:
    """Raise ValueError for a column with nearly the title of a missing column that affects points."""
    for name in _BY_HAND:
        near = next(
            (title for title in header if difflib.get_close_matches(title_key(title), COLUMNS[name], 1, 0.85)), ""
        )
        if near and name not in places:
            raise ValueError(
                f"{path} has a column {near!r}, which is not read, and no column {name!r}. "
                f"Call it {name!r} if that is meant; otherwise give it another title."
            )


#: A long number as a spreadsheet writes it in a narrow column, and a whole one as a program does that takes it for a fraction.
_ROUNDED, _FRACTION = re.compile(r"\d[.,]?\d*E\+\d+"), re.compile(r"\d+[.,]0+")
#: Words with which a row below the students begins, by ``title_key``.
_TOTALS = frozenset(
    ("total", "totals", "sum", "count", "average", "mean", "overallaverage", "summe", "gesamt", "anzahl", "durchschnitt",
     "mittelwert", "moyenne", "effectif", "promedio", "media", "totale", "totaal", "suma", "razem", "celkem", "toplam",
     "итого", "всего", "合计", "总计", "平均", "合計")
)  # fmt: skip


def _first_word(text: str) -> str:
    return title_key(re.split(r"[:=(]|\s\d", text, maxsplit=1)[0])


def whole_name(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return last and first name. A column "name" holds the full name, or the part that has no column of its own."""
    last, first, name = (cells.get(column, "") for column in ("last_name", "first_name", "part_of_name"))
    if not name or (last and first):
        return last, first
    if not last and not first:
        last, first = (name.split(",", 1) if "," in name else [*name.rsplit(" ", 1)[::-1], ""])[:2]
        return last.strip(), first.strip()
    column_words = {casefold_name(word) for word in (last or first).split()}
    words = name.replace(",", " ").split()
    holds_column_words = column_words <= set(map(casefold_name, words))
    other_part = (
        " ".join(word for word in words if casefold_name(word) not in column_words) if holds_column_words else name
    )
    return (last, other_part) if last else (other_part, first)


#: The columns that identify a student, besides the id.
_OF_PERSON = ("last_name", "first_name", "part_of_name", "email", "login")


def _student(
    cells: Mapping[str, str], timezone: tzinfo, assignments: Sequence[str], current: Callable[[str], str]
) -> Student:
    student_id = cells["id"]
    if any("\n" in cells.get(name, "") for name in ("id", *_OF_PERSON)):
        raise ValueError(
            f"a cell goes on in the next line; is a quotation mark not closed? It begins {cells['id'][:40]!r}"
        )
    if not student_id:
        about = next(filter(None, (cells.get(name) for name in _OF_PERSON)), "")
        raise ValueError(f"{about!r} has no id. Write one, or remove the row if it is no student's")
    if _first_word(student_id) in _TOTALS and not any(cells.get(name) for name in _OF_PERSON):
        raise ValueError(
            f"{student_id!r} seems to begin a row of totals. Remove it; if it is a student's id, write the name beside it"
        )
    if student_id.startswith(".") or "/" in student_id or "\0" in student_id:
        raise ValueError(f"expected an id that can be the name of a folder, but got {student_id!r}")
    if _ROUNDED.fullmatch(student_id):
        raise ValueError(
            f"a spreadsheet has rounded the id {student_id!r}. Take it from the platform again, and give its column the format "
            "text"
        )
    if _FRACTION.fullmatch(student_id):
        raise ValueError(
            f"the id {student_id!r} has been taken for a number, and may have lost its leading zeros. Take it from the platform "
            "again"
        )
    last, first = whole_name(cells)
    extensions = {}
    for item in _split_items(cells.get("extension", "")):
        assignment, colon, value = item.partition(":") if "=" not in item else item.partition("=")
        if not colon:
            raise ValueError(f"expected an extension such as '01-attention: +3', but got {item!r}")
        extensions[_known_assignment(current(assignment.strip()), assignments)] = extension(value.strip(), timezone)
    excused = [
        _known_assignment(current(item), assignments) if item != "all" else item
        for item in _split_items(cells.get("excused", ""))
    ]
    email, login, section, group = (cells.get(name, "") for name in ("email", "login", "section", "group"))
    return Student(student_id, last, first, email, login, section, group, extensions, frozenset(excused))


def _split_items(text: str) -> list[str]:
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


def _known_assignment(assignment: str, assignments: Sequence[str]) -> str:
    if assignments and assignment not in assignments:
        raise ValueError(f"there is no assignment {assignment!r}. Expected one of: {', '.join(assignments)}")
    return assignment


POLICY_FILE = "course.toml"
#: The allowed settings. A misspelt ``[late]`` must not silently disable the rule.
_SETTINGS = ("timezone", "optional", "due", "late")


class OptionalRule(StrEnum):
    """The rule for the points of a lesson's optional parts."""

    BONUS = "bonus"  # they make up for points that the core lost, and never add to more than the core is worth
    COUNT = "count"  # as all other points do
    IGNORE = "ignore"  # nothing

    def total(self, core: float, optional: float, of_core: float, of_optional: float) -> tuple[float, float]:
        """Return the points that count and the points possible, given those of the core and of the optional parts.

        Points above the core's maximum that a person gave in the core are kept. If everything is optional, everything counts.
        """
        if self is OptionalRule.COUNT or not of_core:
            return core + optional, of_core + of_optional
        bonus = max(0.0, min(optional, of_core - core)) if self is OptionalRule.BONUS else 0.0
        return core + bonus, of_core


#: The default rule: every point counts, and nbgrader's own sums hold.
DEFAULT_RULE = OptionalRule.COUNT


@dataclass(frozen=True)
class LateRule:
    """The penalty for late work. ``per_day`` and ``cap`` are shares between 0 and 1."""

    per_day: float = 0.0
    cap: float = 1.0
    free_days: int = 0
    grace_minutes: float = 0.0
    of: str = "earned"

    def days(self, late: timedelta) -> int:
        """Return the number of days begun after the due date and the grace period."""
        if late <= timedelta(minutes=self.grace_minutes):
            return 0
        return math.ceil(late / timedelta(days=1))

    def penalty(self, charged_days: int, earned: float, possible: float) -> float:
        """Return the points lost for this number of days, never more than were earned."""
        share = min(self.cap, self.per_day * charged_days)
        return round(min(earned, share * (possible if self.of == "possible" else earned)), 4)


@dataclass(frozen=True)
class Policy:
    """The content of ``course.toml``. ``due`` holds the due dates in UTC; if ``late`` is None, nbgrader's own rule applies.

    ``optional`` is the rule for the points of optional parts.
    """

    zone: tzinfo = UTC
    due: Mapping[str, datetime] = field(default_factory=dict)
    late: LateRule | None = None
    optional: OptionalRule = DEFAULT_RULE


def read_policy(course: Course) -> Policy:
    """Read ``course.toml``; the default policy if there is no such file. Raises ValueError with the problem of an invalid one."""
    path = course.root / POLICY_FILE
    try:
        settings = tomllib.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        return Policy(zone(None))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    try:
        if unknown := sorted(settings.keys() - _SETTINGS):
            raise ValueError(
                f"expected {', '.join(_SETTINGS)}, but got {unknown[0]!r}. Remove it, or correct its spelling."
            )
        timezone = zone(settings.get("timezone"))
        dates = {course.lessons.current(name): when for name, when in settings.get("due", {}).items()}
        due = {name: _due_date(name, when, timezone, course) for name, when in dates.items()}
        late = _late_rule(settings["late"]) if "late" in settings else None
        optional = _optional_rule(settings.get("optional", DEFAULT_RULE))
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Policy(timezone, due, late, optional)


def _due_date(name: str, when: Any, timezone: tzinfo, course: Course) -> datetime:
    if name not in course.gradable:
        raise ValueError(f"[due] names {name!r}. Expected one of: {', '.join(course.gradable)}.")
    if not isinstance(when, datetime):
        raise ValueError(f"expected a date and time such as 2026-10-05T23:59:00 for {name}, but got {when!r}")
    return in_utc(when, timezone)


def _optional_rule(name: Any) -> OptionalRule:
    if name not in [*OptionalRule]:
        raise ValueError(f"optional is one of {', '.join(map(repr, map(str, OptionalRule)))}, but is {name!r}")
    return OptionalRule(name)


def _late_rule(settings: Mapping[str, Any]) -> LateRule:
    names = {setting.name for setting in fields(LateRule)}
    if unknown := sorted(settings.keys() - names):
        raise ValueError(f"[late] has {unknown[0]!r}. Expected: {', '.join(sorted(names))}.")
    rule = LateRule(**settings)
    for name in ("per_day", "cap"):
        if not 0 <= getattr(rule, name) <= 1:
            raise ValueError(f"[late] {name} is a share between 0 and 1, but is {getattr(rule, name)!r}")
    if rule.free_days < 0 or rule.grace_minutes < 0 or rule.of not in ("earned", "possible"):
        raise ValueError('[late] expected free_days and grace_minutes of at least 0, and of = "earned" or "possible"')
    return rule


#: The words of a name that are compared; each may have three spellings.
_MOST_WORDS = 6


@dataclass(frozen=True)
class StudentMatch:
    """The identifiers of a student in a hand-in or a sheet: ``ids`` are ids, logins or e-mail addresses."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " / ".join(dict.fromkeys(filter(None, (*self.names, *self.ids)))) or "nobody"


class Directory:
    """An index of the class by ids, logins, e-mail addresses, names and aliases."""

    def __init__(self, roster: Roster):
        self.students = {student.id: student for student in roster}
        self._ids: dict[str, set[str]] = {}
        self._names: dict[tuple[str, ...] | str, set[str]] = {}
        self._spelt: dict[tuple[str, ...] | str, set[str]] = {}  # by names as the roster spells them
        self._groups: dict[str, list[str]] = {}
        for student in roster:
            for key in _ids(student):
                self._ids.setdefault(key, set()).add(student.id)
            for name in _names(student):
                self._names.setdefault(name, set()).add(student.id)
            for name in _names(student, lambda word: {word}):
                self._spelt.setdefault(name, set()).add(student.id)
            if group := letters_and_digits(student.group):
                self._groups.setdefault(group, []).append(student.id)

    def group_members(self, name: str) -> list[str]:
        """Return the ids of the members of a group that hands in together, by its name up to case and punctuation."""
        return self._groups.get(letters_and_digits(name), [])

    def add_alias(self, key: str, student: str) -> None:
        """Add a platform's identifier for this student, such as Moodle's participant number."""
        self._ids.setdefault(casefold_name(key), set()).add(student)

    def find(self, person: StudentMatch) -> Student | None:
        """Return the only matching student, by id or else by name; None if there are none or several."""
        candidates = self.candidates(person)
        return self.students[next(iter(candidates))] if len(candidates) == 1 else None

    def place(self, people: Iterable[StudentMatch], several: bool = False) -> dict[StudentMatch, Student]:
        """Match people with students. Of several matches of one student, the best counts or, with ``several``, all the best."""
        claims: dict[str, list[tuple[int, StudentMatch]]] = {}
        for person in dict.fromkeys(people):
            rank, matches = self._rank_and_matches(person)
            if len(matches) == 1:
                claims.setdefault(next(iter(matches)), []).append((rank, person))
        student_of: dict[StudentMatch, Student] = {}
        for student, claims_of_student in claims.items():
            best = [
                person
                for rank, person in claims_of_student
                if rank == min(claims_of_student, key=lambda claim: claim[0])[0]
            ]
            student_of |= {person: self.students[student] for person in best if several or len(best) == 1}
        return student_of

    def candidates(self, person: StudentMatch) -> set[str]:
        """Return the ids of all matching students. An id decides; a name only narrows down an ambiguous one."""
        return self._rank_and_matches(person)[1]

    def _rank_and_matches(self, person: StudentMatch) -> tuple[int, set[str]]:
        """Return the rank of the match (0: id, 1: name, 2: another spelling of a name), and the ids of all matching students."""
        by_id = next((self._ids[key] for key in map(casefold_name, person.ids) if key in self._ids), set[str]())
        if len(by_id) == 1:
            return 0, by_id
        rank, by_name = next((match for match in map(self._named, person.names) if match[1]), (2, set[str]()))
        return (0, by_id & by_name or by_id) if by_id else (rank, by_name)

    def _named(self, name: str) -> tuple[int, set[str]]:
        for rank, index, spelt in ((1, self._spelt, {name}), (2, self._names, name_variants(name))):
            forms = (*map(sorted_words, spelt), *map(letters_and_digits, spelt))
            if matches := set[str]().union(*(index[form] for form in forms if form in index)):
                return rank, matches
        return 2, set()


def _ids(student: Student) -> set[str]:
    identifiers = {student.id, student.login, student.email, *student.other_ids}
    return {casefold_name(text) for text in identifiers if text}


def _names(student: Student, variants: Callable[[str], set[str]] = name_variants) -> set[tuple[str, ...] | str]:
    """Return the forms of the student's name: a set of words, and one word in either order of its two parts."""
    parts = [part for part in (student.first_name, student.last_name) if part]
    forms: set[tuple[str, ...] | str] = set()
    for order in permutations(parts):
        spellings = [sorted(variants(word)) for word in " ".join(order).split()[:_MOST_WORDS]]
        for spelt in product(*spellings):  # people write one of their umlauts so and the other so
            forms |= {sorted_words(" ".join(spelt)), letters_and_digits("".join(spelt))}
    return forms - {(), ""}
