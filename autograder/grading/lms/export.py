"""``autograder export``: write an assignment's grades in a chosen format, or into a sheet that the teacher has downloaded.

All other cells of such a sheet stay unchanged.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from autograder.grading.console import plain, print_table, readable, show
from autograder.grading.course import Course
from autograder.grading.gradebook.status import (
    EXCUSED,
    MISSING,
    UNMARKED,
    ClassStatus,
    GradeStatus,
    load_class_status,
)
from autograder.grading.lms import grades
from autograder.grading.lms.csv_table import Table, read_table, write_table
from autograder.grading.lms.grades import as_data, gradescope, number, results, summary
from autograder.grading.lms.sheets import BRIGHTSPACE, CANVAS, CLASSROOM_ROWS, MOODLE, kind_of, moodle_column, rows_of
from autograder.grading.roster.column_titles import title_key
from autograder.grading.roster.roster import Directory, Roster
from autograder.grading.run.store import write_whole

_ID = re.compile(r" \(\d+\)$")
_BRIGHTSPACE = re.compile(r" Points Grade(?: <(?P<about>.*)>)?$")
#: ``Essay [Total Pts: 10 Score] |123``, in other languages with the number behind.
_BLACKBOARD = re.compile(
    r" \[(?:Total Pts: (?:up to )?(?P<most>[\d.,]+)[^\]]*\](?: \|\d+)?|[^\]:]+: \D{0,12}?(?P<most_>[\d.,]+)[^\]]*\] \|\d+)$"
)
#: Cells without a decision. Blackboard writes the last one for submitted work.
_EMPTY = re.compile(r"|[-–]|Needs Grading(?:\([\d.,]*\))?")
_NUMBER = re.compile(r"[-+]?[\d.,\s]+%?")
#: Titles of columns, and first cells of rows, that hold the points possible in other sheets, by ``title_key``.
_MOST_COLUMNS = frozenset(("pointsavailable", "maxpoints", "maximumpoints", "pointspossible"))
_MOST_ROWS = frozenset(
    ("max", "maximum", "maxpoints", "maximumpoints", "pointspossible", "outof", "maximalpunkte", "punktemax")
)
#: Begins the course's own part of a comment; text before it in the cell is a person's.
_COMMENT_START = "Points by exercise: "
_MAX = re.compile(r"MaxPoints:([\d.]+)")


@dataclass(frozen=True)
class Choice:
    """The selection of points. ``column`` names the assignment's column if its title differs.

    ``per_exercise`` fills a column for each exercise. ``zero_if_missing`` gives 0 to students who handed in nothing, and
    ``unmarked`` counts open written questions as 0 for now.
    """

    column: str = ""
    per_exercise: bool = False
    zero_if_missing: bool = False
    unmarked: bool = False


@dataclass
class FillResult:
    """The outcome of filling a sheet. ``skipped`` maps students with unchanged cells to the reason; the other fields are about
    rows.

    ``not_written`` are students with points but no row. ``repeated_rows`` are names shared by several rows without an id, and
    ``no_comments`` is True if no column of the sheet was recognised as Moodle's for comments.
    """

    columns: list[str] = field(default_factory=list)
    written: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    not_written: list[str] = field(default_factory=list)
    unknown_rows: list[str] = field(default_factory=list)
    without_row: list[str] = field(default_factory=list)
    repeated_rows: list[str] = field(default_factory=list)
    no_comments: bool = False
    scaled: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Column:
    """A column with the value for each student, and its possible points."""

    place: int
    possible: float
    value: Callable[[GradeStatus], float | None]


def fill(table: Table, class_status: ClassStatus, kind: str, choice: Choice) -> FillResult:
    """Write the grades into the sheet. Raises ValueError if it is another platform's, or lacks the column."""
    platform = kind_of(table)
    if kind in (CANVAS, MOODLE, BRIGHTSPACE) and platform != kind:
        raise ValueError(
            f"{table.path} looks like a sheet of {platform}, not of {kind}. Give the sheet that {kind} handed out, "
            "or another --to."
        )
    result = FillResult()
    columns = _columns(table, class_status, kind, choice)
    result.columns = [table.header[column.place] for column in columns]
    comments = moodle_column(table, "comments") if kind == MOODLE else None
    result.no_comments = kind == MOODLE and comments is None
    rows = [row for row in rows_of(table, kind) if not _is_maximum(table, row.number)]
    times = Counter(row.student_match for row in rows if not row.student_match.ids)
    result.repeated_rows = [str(student_match) for student_match, count in times.items() if count > 1]
    rows = [row for row in rows if times[row.student_match] < 2]
    student_of = Directory(Roster(tuple(grade.student for grade in class_status.students))).place(
        row.student_match for row in rows
    )
    grade_of = {grade.student.id: grade for grade in class_status.students}
    written: set[str] = set()
    for row in rows:
        student = student_of.get(row.student_match)
        if student is None:
            result.unknown_rows.append(str(row.student_match))
            continue
        written.add(student.id)
        written_now = _fill_row(table, row.number, grade_of[student.id], columns, kind, result)
        if comments is not None and written_now:
            remark = table.get(row.number, comments).partition(_COMMENT_START)[0].removesuffix("<br>")
            table.put(
                row.number,
                comments,
                f"{remark}{'<br>' if remark else ''}{_COMMENT_START}{summary(grade_of[student.id], html=True)}",
            )
    without_row = [grade for grade in class_status.students if grade.student.id not in written]
    result.without_row = [grade.student.id for grade in without_row]
    result.not_written = [
        grade.student.id for grade in without_row if any(column.value(grade) is not None for column in columns)
    ]
    result.scaled = [
        f"{table.header[column.place]}: {number(column.possible)} points here are {number(most)} there"
        for column in columns
        if (most := _maximum(table, column, kind, None)) is not None and most != column.possible
    ]
    return result


def _fill_row(
    table: Table, row: int, grade: GradeStatus, columns: Sequence[_Column], kind: str, result: FillResult
) -> bool:
    """Write a student's points into a row, and return whether any were written.

    A teacher's decision is kept: a cell that is not a number, and any text in the row of a student without a submission.
    """
    written_now, decided = False, ""
    for column in columns:
        value, cell = column.value(grade), table.get(row, column.place).strip()
        if not _EMPTY.fullmatch(cell) and (grade.state == MISSING or not _NUMBER.fullmatch(cell)):
            decided = cell if value is not None and not decided else decided
        elif grade.state == EXCUSED and kind == CANVAS:
            table.put(row, column.place, "EX")
            written_now = True
        elif value is not None:
            maximum = _maximum(table, column, kind, row)
            scaled = value if maximum is None or not column.possible else value / column.possible * maximum
            table.put(row, column.place, number(scaled).replace(".", table.decimal_mark))
            written_now = True
    result.written += written_now
    if decided:
        result.skipped.append((grade.student.id, f"the sheet says {decided!r}"))
    elif not written_now:
        result.skipped.append((grade.student.id, grade.reason or grade.state))
    return written_now


def _columns(table: Table, class_status: ClassStatus, kind: str, choice: Choice) -> list[_Column]:
    value = total_value(choice)
    if kind == MOODLE:
        if choice.per_exercise:
            raise ValueError("Moodle's worksheet has one column for the grade. Leave out --per-exercise.")
        place = _column_named(table, choice.column) if choice.column else moodle_column(table, "grade")
        if place is None:
            titles = ", ".join(map(repr, table.header))
            description = f"called {choice.column!r}" if choice.column else "for the grade that we know"
            raise ValueError(f"{table.path} has no column, or several, {description}. Name it with --column: {titles}.")
        return [_Column(place, class_status.points, value)]
    if not choice.per_exercise:
        place = _column_named(table, choice.column) if choice.column else _column_like(table, [class_status.assignment])
        if place is None:
            raise ValueError(
                f"{table.path} has no column, or several, named like {choice.column or class_status.assignment!r}. "
                f"Name it with --column: {', '.join(map(repr, table.header))}."
            )
        return [_Column(place, class_status.points, value)]
    columns, missing = [], []
    for part in class_status.parts:
        place = _column_like(table, [part.title, f"{class_status.assignment} {part.title}"])
        if place is None:
            missing.append(part.title)
        else:
            columns.append(_Column(place, part.points, _part_value(part.cell, choice)))
    if missing:
        raise ValueError(f"{table.path} has no column, or several, named like these exercises: {', '.join(missing)}.")
    late = _column_like(table, ["late penalty", f"{class_status.assignment} late penalty"])
    return (
        columns
        if late is None
        else [*columns, _Column(late, 0.0, lambda grade: -grade.penalty if grade.so_far else None)]
    )


def total_value(choice: Choice) -> Callable[[GradeStatus], float | None]:
    """Return a function that maps a student's status to the points to write, or to None to write nothing."""

    def value(grade: GradeStatus) -> float | None:
        if grade.state == MISSING and choice.zero_if_missing:
            return 0.0
        return grade.so_far if choice.unmarked and grade.state == UNMARKED else grade.total

    return value


def _part_value(cell: str, choice: Choice) -> Callable[[GradeStatus], float | None]:
    def value(grade: GradeStatus) -> float | None:
        if grade.state == MISSING and choice.zero_if_missing:
            return 0.0
        earned = next((part.earned for part in grade.parts if part.cell == cell), None)
        return 0.0 if earned is None and choice.unmarked and grade.state == UNMARKED else earned

    return value


def title(header: str) -> str:
    """Return the title of a column without a platform's additions, such as "(4711)"."""
    return _BLACKBOARD.sub("", _BRIGHTSPACE.sub("", _ID.sub("", header.strip())))


def _column_named(table: Table, name: str) -> int | None:
    places = [n for n, header in enumerate(table.header) if name in (header, header.strip(), title(header))]
    return places[0] if len(places) == 1 else None


def _column_like(table: Table, names: Sequence[str]) -> int | None:
    """Return the only column with one of these titles, ignoring punctuation."""
    wanted = {title_key(name) for name in names}
    places = [place for place, header in enumerate(table.header) if title_key(title(header)) in wanted]
    return places[0] if len(places) == 1 else None


def _maximum(table: Table, column: _Column, kind: str, row: int | None) -> float | None:
    """Return the platform's maximum for the column, or None if the sheet does not contain it."""
    text = ""
    if kind == CANVAS:
        rows = [n for n in range(1, len(table.rows)) if "Points Possible" in table.get(n, 0)]
        text = table.get(rows[0], column.place) if rows else ""
    elif kind == BRIGHTSPACE:
        match_of_title = _BRIGHTSPACE.search(table.header[column.place])
        match = _MAX.search(match_of_title["about"] or "") if match_of_title else None
        text = match[1] if match else ""
    elif kind == MOODLE:
        most = moodle_column(table, "most")  # behind the grade, in any language, unless that is a scale
        text = table.get(
            row if row is not None else min(1, len(table.rows) - 1), column.place + 1 if most is None else most
        )
    elif of_blackboard := _BLACKBOARD.search(table.header[column.place]):
        text = of_blackboard["most"] or of_blackboard["most_"]
    elif "%" in table.header[column.place]:
        text = "100"
    else:
        text = _maximum_of_other(table, column, row)
    try:
        points = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return points if points > 0 else None


def _is_maximum(table: Table, row: int) -> bool:
    """Return whether a row holds the maximum points: a word followed by numbers only."""
    first, *others = [cell.strip() for cell in table.rows[row]] or [""]
    return title_key(first) in _MOST_ROWS and all(not cell or _NUMBER.fullmatch(cell) for cell in others)


def _maximum_of_other(table: Table, column: _Column, row: int | None) -> str:
    """Return the possible points according to a row or a column of a sheet from an unknown platform."""
    in_column = [place for place, title in enumerate(table.header) if title_key(title) in _MOST_COLUMNS]
    if len(in_column) == 1 and len(table.rows) > 1:
        return table.get(row if row is not None else 1, in_column[0])
    of_classroom = [n for n in range(1, min(3, len(table.rows))) if table.get(n, 0).strip() == CLASSROOM_ROWS[1]]
    rows = of_classroom or [n for n in range(1, len(table.rows)) if _is_maximum(table, n)]
    return table.get(rows[0], column.place) if rows else ""


PLATFORMS = (CANVAS, MOODLE, BRIGHTSPACE)
FORMATS = (*PLATFORMS, "gradescope", "csv", "json", "junit")
_ENDINGS = {"csv": ".csv", "json": ".json", "junit": ".xml"}


@dataclass(frozen=True)
class ExportOptions:
    """The options of the command. ``sheet`` comes from the platform; ``output`` is a file or, for Gradescope, a folder."""

    assignment: str
    to: str
    sheet: Path | None = None
    output: Path | None = None
    choice: Choice = field(default_factory=Choice)


def export(course: Course, order: ExportOptions, console: Console) -> int:
    """Write the grades, and print the omitted students with the reasons. Returns 1 if the sheet has no row for some points, else
    0.

    Raises LookupError or ValueError if the assignment, the sheet or one of its columns is missing.
    """
    if order.to in PLATFORMS and order.sheet is None:
        raise ValueError(f"Expected --sheet with the CSV file that {order.to.title()} handed out; it is filled in.")
    if order.to not in (*PLATFORMS, "csv") and order.sheet is not None:
        raise ValueError(f"--sheet is for {', '.join(PLATFORMS)} and csv, not for {order.to}.")
    class_status = load_class_status(course, order.assignment)
    if order.sheet is not None:
        return _fill_sheet(class_status, order, order.sheet, console)
    points = total_value(order.choice)
    output = order.output or course.grading / "export" / f"{order.assignment}{_ENDINGS.get(order.to, '')}"
    if order.to == "gradescope":
        results_of = results(course, class_status)
        for grade in class_status.students:
            data = gradescope(grade, results_of.get(grade.student.id))
            write_whole(output / grade.student.id / "results.json", json.dumps(data, indent=1, ensure_ascii=False))
    elif order.to == "csv":
        write_whole(output, grades.as_csv(class_status, order.choice.per_exercise, points))
    elif order.to == "json":
        results_of = results(course, class_status)
        everything = [
            as_data(grade, results_of.get(grade.student.id), points(grade)) for grade in class_status.students
        ]
        write_whole(output, grades.as_json(class_status, everything))
    else:
        write_whole(output, grades.as_junit(class_status, results(course, class_status)))
    _print_open_points(class_status, console)
    show(
        f"export: {order.assignment}, {len(class_status.students)} students, {states(class_status)}; written to {output}"
    )
    return 0


def _fill_sheet(class_status: ClassStatus, order: ExportOptions, sheet: Path, console: Console) -> int:
    table = read_table(sheet)
    result = fill(table, class_status, order.to, order.choice)
    output = order.output or sheet.with_name(f"{sheet.stem}-filled{sheet.suffix}")
    write_table(table, output)
    _print_open_points(class_status, console)
    print_table(console, "left as it was in the sheet", result.skipped, ("student", "why"))
    for line in _notes(result):
        show(line)
    show(
        f"export: {order.assignment}, {result.written} students written into {', '.join(map(repr, result.columns))}, "
        f"{len(result.skipped)} left; written to {output}"
    )
    return 1 if result.not_written else 0


def _notes(result: FillResult) -> list[str]:
    lines = [f"scaled: {text}" for text in result.scaled]
    if result.unknown_rows:
        lines.append(f"in the sheet, but not in the class: {', '.join(map(readable, result.unknown_rows))}")
    if result.repeated_rows:
        lines.append(
            f"several rows of one name and without an id, left: {', '.join(map(readable, result.repeated_rows))}"
        )
    if result.no_comments:
        lines.append("no column for comments was recognised: only points are written")
    if result.without_row:
        lines.append(f"in the class, but not in the sheet: {', '.join(map(readable, result.without_row))}")
    if result.not_written:
        lines.append(
            f"their points are written nowhere: {', '.join(map(readable, result.not_written))}. Another sheet may have a row "
            "for them; their names or ids in grading/roster.csv may differ from the sheet's."
        )
    return lines


def states(class_status: ClassStatus) -> str:
    """Return the number of students in each state."""
    return ", ".join(f"{count} {state}" for state, count in class_status.counts.items() if count)


def _print_open_points(class_status: ClassStatus, console: Console) -> None:
    for text in class_status.messages:
        console.print(plain(text))
    waiting = [request for grade in class_status.students for request in grade.requests if request.open]
    if waiting:
        show(f"requests to grade again that wait for an answer: {len(waiting)}")
