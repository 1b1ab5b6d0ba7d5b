"""``autograder export``: write an assignment's grades in a format, or into the sheet that a teacher downloaded.

Of such a sheet, every other cell stays as it was.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from autograder.grading.console import plain as shown
from autograder.grading.console import print_table, readable, show
from autograder.grading.course import Course
from autograder.grading.gradebook.status import (
    EXCUSED,
    MISSING,
    STATES,
    UNMARKED,
    ClassStatus,
    GradeStatus,
    load_class_status,
)
from autograder.grading.lms import grades
from autograder.grading.lms.csv_table import Table, read_table, write_table
from autograder.grading.lms.formats import BRIGHTSPACE, CANVAS, MOODLE, kind_of, moodle_column, rows_of
from autograder.grading.lms.grades import as_data, gradescope, number, results, summary
from autograder.grading.roster.roster import Directory, Roster
from autograder.grading.run.store import write_whole

_ID = re.compile(r" \(\d+\)$")
_BRIGHTSPACE = re.compile(r" Points Grade(?: <(?P<about>.*)>)?$")
_EMPTY = ("", "-", "–")
_NUMBER = re.compile(r"[-+]?[\d.,\s]+%?")
#: Stands before our own part of a comment: what is before it in the cell is somebody else's.
_OURS = "Points by exercise: "
_MAX = re.compile(r"MaxPoints:([\d.]+)")


@dataclass(frozen=True)
class Choice:
    """What to write. ``column`` names the column of the assignment where its title is another one.

    ``per_exercise`` fills a column for each exercise. ``zero_if_missing`` gives 0 to whoever handed in nothing, and
    ``unmarked`` counts open written questions as 0 for now.
    """

    column: str = ""
    per_exercise: bool = False
    zero_if_missing: bool = False
    unmarked: bool = False


@dataclass
class Filled:
    """What was written. ``left`` holds students whose cells stay as they were, and why; the others concern the rows."""

    columns: list[str] = field(default_factory=list)
    written: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    without_row: list[str] = field(default_factory=list)
    scaled: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Column:
    """A column with the value of each student, and the points that are possible in it."""

    place: int
    possible: float
    value: Callable[[GradeStatus], float | None]


def fill(table: Table, standing: ClassStatus, kind: str, choice: Choice) -> Filled:
    """Write the grades into the sheet. Raises ValueError if it is another platform's, or has no such column."""
    found = kind_of(table)
    if kind in (CANVAS, MOODLE, BRIGHTSPACE) and found != kind:
        raise ValueError(f"{table.path} does not look like a sheet of {kind}, but like one of {found}.")
    done = Filled()
    columns = _columns(table, standing, kind, choice)
    done.columns = [table.header[column.place] for column in columns]
    comments = moodle_column(table, "comments") if kind == MOODLE else None
    rows = list(rows_of(table, kind))
    placed = Directory(Roster(tuple(one.student for one in standing.students))).place(row.who for row in rows)
    of = {one.student.id: one for one in standing.students}
    written: set[str] = set()
    for row in rows:
        student = placed.get(row.who)
        if student is None:
            done.strangers.append(str(row.who))
            continue
        written.add(student.id)
        wrote = _fill_row(table, row.number, of[student.id], columns, kind, done)
        if comments is not None and wrote:
            own = table.get(row.number, comments).partition(_OURS)[0].removesuffix("<br>")
            table.put(row.number, comments, f"{own}{'<br>' if own else ''}{_OURS}{summary(of[student.id], html=True)}")
    done.without_row = [one.student.id for one in standing.students if one.student.id not in written]
    done.scaled = [
        f"{table.header[column.place]}: {number(column.possible)} points here are {number(most)} there"
        for column in columns
        if (most := _most(table, column, kind, None)) is not None and most != column.possible
    ]
    return done


def _fill_row(
    table: Table, row: int, standing: GradeStatus, columns: Sequence[_Column], kind: str, done: Filled
) -> bool:
    """Write what is known of a student into a row. Returns whether anything was.

    What somebody has decided there stays: a cell that is not a number, and any that is not empty where nothing was handed in.
    """
    wrote, decided = False, ""
    for column in columns:
        value, there = column.value(standing), table.get(row, column.place).strip()
        if there not in _EMPTY and (standing.state == MISSING or not _NUMBER.fullmatch(there)):
            decided = there if value is not None and not decided else decided
        elif standing.state == EXCUSED and kind == CANVAS:
            table.put(row, column.place, "EX")
            wrote = True
        elif value is not None:
            most = _most(table, column, kind, row)
            scaled = value if most is None or not column.possible else value / column.possible * most
            table.put(row, column.place, number(scaled))
            wrote = True
    done.written += wrote
    if decided:
        done.left.append((standing.student.id, f"the sheet says {decided!r}"))
    elif not wrote:
        done.left.append((standing.student.id, standing.reason or standing.state))
    return wrote


def _columns(table: Table, standing: ClassStatus, kind: str, choice: Choice) -> list[_Column]:
    value = total(choice)
    if kind == MOODLE:
        if choice.per_exercise:
            raise ValueError("Moodle's worksheet has one column for the grade. Leave out --per-exercise.")
        place = _named(table, choice.column) if choice.column else moodle_column(table, "grade")
        if place is None:
            titles = ", ".join(map(repr, table.header))
            what = f"called {choice.column!r}" if choice.column else "for the grade that we know"
            raise ValueError(f"{table.path} has no column, or several, {what}. Name it with --column: {titles}.")
        return [_Column(place, standing.points, value)]
    if not choice.per_exercise:
        place = _named(table, choice.column) if choice.column else _like(table, [standing.assignment])
        if place is None:
            raise ValueError(
                f"{table.path} has no column, or several, called like {choice.column or standing.assignment!r}. "
                f"Name it with --column: {', '.join(map(repr, table.header))}."
            )
        return [_Column(place, standing.points, value)]
    columns, missing = [], []
    for part in standing.parts:
        place = _like(table, [part.title, f"{standing.assignment} {part.title}"])
        if place is None:
            missing.append(part.title)
        else:
            columns.append(_Column(place, part.points, _of_part(part.cell, choice)))
    if missing:
        raise ValueError(f"{table.path} has no column, or several, called like these exercises: {', '.join(missing)}.")
    late = _like(table, ["late penalty", f"{standing.assignment} late penalty"])
    return columns if late is None else [*columns, _Column(late, 0.0, lambda one: -one.penalty if one.so_far else None)]


def total(choice: Choice) -> Callable[[GradeStatus], float | None]:
    """Return the function that says what is written of a student's points; None where nothing is."""

    def value(one: GradeStatus) -> float | None:
        if one.state == MISSING and choice.zero_if_missing:
            return 0.0
        return one.so_far if choice.unmarked and one.state == UNMARKED else one.total

    return value


def _of_part(cell: str, choice: Choice) -> Callable[[GradeStatus], float | None]:
    def value(one: GradeStatus) -> float | None:
        if one.state == MISSING and choice.zero_if_missing:
            return 0.0
        earned = next((part.earned for part in one.parts if part.cell == cell), None)
        return 0.0 if earned is None and choice.unmarked and one.state == UNMARKED else earned

    return value


def title(header: str) -> str:
    """Return the title of a column without what a platform adds to it."""
    return _BRIGHTSPACE.sub("", _ID.sub("", header.strip()))


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _named(table: Table, name: str) -> int | None:
    places = [n for n, header in enumerate(table.header) if name in (header, header.strip(), title(header))]
    return places[0] if len(places) == 1 else None


def _like(table: Table, names: Sequence[str]) -> int | None:
    """Return the only column with one of these titles, whatever its punctuation."""
    wanted = {_plain(name) for name in names}
    places = [place for place, header in enumerate(table.header) if _plain(title(header)) in wanted]
    return places[0] if len(places) == 1 else None


def _most(table: Table, column: _Column, kind: str, row: int | None) -> float | None:
    """Return the points that the platform gives the column, or None if the sheet does not say it."""
    text = ""
    if kind == CANVAS:
        rows = [n for n in range(1, len(table.rows)) if "Points Possible" in table.get(n, 0)]
        text = table.get(rows[0], column.place) if rows else ""
    elif kind == BRIGHTSPACE:
        about = _BRIGHTSPACE.search(table.header[column.place])
        found = _MAX.search(about["about"] or "") if about else None
        text = found[1] if found else ""
    elif kind == MOODLE and (most := moodle_column(table, "most")) is not None:
        text = table.get(row if row is not None else min(1, len(table.rows) - 1), most)
    try:
        points = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return points if points > 0 else None


PLATFORMS = (CANVAS, MOODLE, BRIGHTSPACE)
FORMATS = (*PLATFORMS, "gradescope", "csv", "json", "junit")
_ENDINGS = {"csv": ".csv", "json": ".json", "junit": ".xml"}


@dataclass(frozen=True)
class Order:
    """What to export. ``sheet`` is what the platform handed out; ``output`` a file, or for Gradescope a folder."""

    assignment: str
    to: str
    sheet: Path | None = None
    output: Path | None = None
    choice: Choice = field(default_factory=Choice)


def export(course: Course, order: Order, console: Console) -> int:
    """Write the grades, and print what was left out and why. Returns 0.

    Raises LookupError or ValueError if the assignment, the sheet or one of its columns is not there.
    """
    if order.to in PLATFORMS and order.sheet is None:
        raise ValueError(f"Expected --sheet with the CSV file that {order.to.title()} handed out; it is filled in.")
    if order.to not in (*PLATFORMS, "csv") and order.sheet is not None:
        raise ValueError(f"--sheet is for {', '.join(PLATFORMS)} and csv, not for {order.to}.")
    standing = load_class_status(course, order.assignment)
    if order.sheet is not None:
        return _filled(standing, order, order.sheet, console)
    points = total(order.choice)
    output = order.output or course.grading / "export" / f"{order.assignment}{_ENDINGS.get(order.to, '')}"
    if order.to == "gradescope":
        found = results(course, standing)
        for one in standing.students:
            data = gradescope(one, found.get(one.student.id))
            write_whole(output / one.student.id / "results.json", json.dumps(data, indent=1, ensure_ascii=False))
    elif order.to == "csv":
        write_whole(output, grades.as_csv(standing, order.choice.per_exercise, points))
    elif order.to == "json":
        found = results(course, standing)
        everything = [as_data(one, found.get(one.student.id), points(one)) for one in standing.students]
        write_whole(output, grades.as_json(standing, everything))
    else:
        write_whole(output, grades.as_junit(standing, results(course, standing)))
    _tell(standing, console)
    show(f"export: {order.assignment}, {len(standing.students)} students, {states(standing)}; written to {output}")
    return 0


def _filled(standing: ClassStatus, order: Order, sheet: Path, console: Console) -> int:
    table = read_table(sheet)
    done = fill(table, standing, order.to, order.choice)
    output = order.output or sheet.with_name(f"{sheet.stem}-filled{sheet.suffix}")
    write_table(table, output)
    _tell(standing, console)
    print_table(console, "left as it was in the sheet", done.left, ("student", "why"))
    for line in _lines(done):
        show(line)
    show(
        f"export: {order.assignment}, {done.written} students written into {', '.join(map(repr, done.columns))}, "
        f"{len(done.left)} left; written to {output}"
    )
    return 0


def _lines(done: Filled) -> list[str]:
    lines = [f"scaled: {text}" for text in done.scaled]
    if done.strangers:
        lines.append(f"in the sheet, but not in the class: {', '.join(map(readable, done.strangers))}")
    if done.without_row:
        lines.append(f"in the class, but not in the sheet: {', '.join(map(readable, done.without_row))}")
    return lines


def states(standing: ClassStatus) -> str:
    """Return how many students are in each state."""
    counts = {state: sum(one.state == state for one in standing.students) for state in STATES}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def _tell(standing: ClassStatus, console: Console) -> None:
    for text in standing.messages:
        console.print(shown(text))
    waiting = [request for one in standing.students for request in one.requests if request.open]
    if waiting:
        show(f"requests to grade again that wait for an answer: {len(waiting)}")
