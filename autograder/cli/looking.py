"""Commands that look at a graded class and hand its grades out."""

import argparse
from pathlib import Path
from typing import Any


def add_reports(commands: Any) -> None:
    """Add this module's commands to the parser of ``autograder``."""
    for add in (_add_export, _add_report, _add_gradescope):
        add(commands)


def _add_export(commands: Any) -> None:
    about = (
        "Write an assignment's grades: into the sheet that you downloaded from Canvas, Moodle or Brightspace, or as CSV, JSON, "
        "JUnit or Gradescope's results. Students without a decision (needs a human, not yet marked, not handed in) get no points."
    )
    parser = commands.add_parser("export", help="write grades for a platform", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    formats = ("canvas", "moodle", "brightspace", "gradescope", "csv", "json", "junit")
    parser.add_argument("--to", required=True, choices=formats, help="the format")
    parser.add_argument(
        "--sheet", type=Path, metavar="CSV", help="the sheet that the platform handed out; a copy is filled"
    )
    where = "where to write (default: beside the sheet, or grading/export/)"
    parser.add_argument("--output", type=Path, metavar="PATH", help=where)
    parser.add_argument(
        "--column", default="", metavar="TITLE", help="the column, if it is not called like the assignment"
    )
    parser.add_argument("--per-exercise", action="store_true", help="a column for each exercise, called like it")
    parser.add_argument("--zero-if-missing", action="store_true", help="give 0 to whoever handed in nothing")
    unmarked = "write points although written questions are not yet marked"
    parser.add_argument("--unmarked", action="store_true", help=unmarked)
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from autograder.grading.console import console
    from autograder.grading.course import find_course
    from autograder.grading.lms.export import Order, export
    from autograder.grading.lms.fill import Choice

    choice = Choice(options.column, options.per_exercise, options.zero_if_missing, options.unmarked)
    return export(
        find_course(), Order(options.assignment, options.to, options.sheet, options.output, choice), console()
    )


def _add_report(commands: Any) -> None:
    about = (
        "Write one page about an assignment, or about the whole course: distribution, pass rates, misconceptions and who has "
        "them, similar wrong answers without a name, what to look at, changes by a regrade. It needs no network."
    )
    parser = commands.add_parser("report", help="see the class on one page", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT", nargs="?", help="default: the whole course")
    parser.add_argument("--output", type=Path, metavar="PATH", help="where to write (default: grading/report/)")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.write import write_report

    print(f"report: {write_report(find_course(), options.assignment, options.output)}")
    return 0


def _add_gradescope(commands: Any) -> None:
    about = (
        "Build the zip for a programming assignment on Gradescope: setup.sh and run_autograder at its root. Where the container "
        "cannot seal students' code, it refuses and says so, unless the zip is built with --trusted."
    )
    parser = commands.add_parser("gradescope", help="build the zip for Gradescope", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--output", type=Path, metavar="ZIP", help="where to write (default: grading/export/)")
    parser.add_argument("--trusted", action="store_true", help="let submissions run without a sandbox")
    parser.add_argument("--leaderboard", action="store_true", help="show points on Gradescope's leaderboard")
    parser.set_defaults(run=_gradescope)


def _gradescope(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.gradescope.zip_file import build

    course = find_course()
    output = options.output or course.grading / "export" / f"{options.assignment}-gradescope.zip"
    path = build(course, options.assignment, output, options.trusted, options.leaderboard)
    print(
        f"gradescope: {path}\nUpload it as the autograder; base image: Ubuntu 24.04 or later, with Python 3.11 or later."
    )
    if options.trusted:
        print("Built for trusted use: where nothing can be sealed, a hostile notebook can write its own results.")
    return 0
