"""What a platform's sheet knows of the class: its own numbers, and perhaps when each student handed in."""

from datetime import datetime, tzinfo
from pathlib import Path

from autograder.grading.lms.csv_table import read_table
from autograder.grading.lms.kinds import MOODLE, kind_of, moodle_column, rows_of
from autograder.grading.roster.datetimes import moment
from autograder.grading.roster.matching import Directory


def learn(path: Path, directory: Directory, here: tzinfo) -> dict[str, datetime]:
    """Teach the directory the platform's numbers. Returns the times of handing in by student, where the sheet has them.

    Raises ValueError if the sheet names nobody of the class.
    """
    table = read_table(path)
    kind = kind_of(table)
    column = moodle_column(table, "submitted") if kind == MOODLE else None
    times: dict[str, datetime] = {}
    known = 0
    for row in list(rows_of(table, kind)):
        student = directory.find(row.who)
        if student is None:
            continue
        known += 1
        directory.learn(row.key, student.id)
        if column is not None:
            try:
                times[student.id] = moment(table.get(row.number, column), here)
            except ValueError:
                continue  # "-": nothing was handed in
    if not known:
        raise ValueError(
            f"{path} names nobody of the class. Expected the sheet of the platform, with a row for each student."
        )
    return times
