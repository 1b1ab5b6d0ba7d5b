"""``autograder export``: write an assignment's grades in a format."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from autograder.grading.console import plain as shown
from autograder.grading.console import print_table, readable, show
from autograder.grading.course import Course
from autograder.grading.gradebook.status import STATES, ClassStatus, load_class_status
from autograder.grading.lms import grades
from autograder.grading.lms.csv_table import read_table, write_table
from autograder.grading.lms.fill import Choice, Filled, fill, total
from autograder.grading.lms.formats import BRIGHTSPACE, CANVAS, MOODLE
from autograder.grading.lms.grades import as_data, gradescope, results
from autograder.grading.run.store import write_whole

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
