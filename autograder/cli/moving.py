"""Commands that move a class along: collect what was handed in, grade it."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: What a command does, and its exit status.
Run = Callable[[argparse.Namespace], int]


def add_collect(commands: Any) -> None:
    """Add this module's commands to the parser of ``autograder``."""
    for add in (_add_collect, _add_feedback):
        add(commands)


def add_grade(commands: Any, run: Run) -> None:
    about = (
        "Grade a class in a sandbox, in parallel, and write the gradebook. Finished submissions are never graded twice: after "
        "an interruption, run the same command again."
    )
    parser = commands.add_parser("grade", help="grade a class", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--workers", type=int, default=None, help="submissions at a time (default: one for each core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="grade on this Dask cluster, tcp://host:port")
    parser.add_argument("--student", action="append", metavar="ID", help="grade only this student (repeatable)")
    parser.add_argument("--force", action="store_true", help="grade finished submissions again")
    parser.add_argument("--diff", action="store_true", help="show whose points would change, and why; write nothing")
    parser.add_argument("--seed", type=int, help="draw inputs from this seed (default: secret, one each)")
    parser.add_argument("--trust-submissions", action="store_true", help="run students' code without a sandbox")
    parser.add_argument("--limits", metavar="JSON", help="limits of the sandbox, such as '{\"request_cpu\": 80}'")
    parser.set_defaults(run=run)


def _add_collect(commands: Any) -> None:
    about = (
        "Put a class's hand-ins into grading/submitted/: from the zip that Moodle, Canvas, Brightspace or Gradescope hands out, "
        "or from a folder of notebooks. Names are matched against grading/roster.csv. Running it again changes nothing."
    )
    parser = commands.add_parser("collect", help="put a class's hand-ins in place", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("source", metavar="ARCHIVE", type=Path, help="a zip archive, or a folder")
    sheet = (
        "the platform's own sheet of the class: knows its numbers for people, and from Moodle the times of handing in"
    )
    parser.add_argument("--sheet", type=Path, metavar="CSV", help=sheet)
    times = "take the times of the files for the times of handing in"
    parser.add_argument("--entry-times", action="store_true", help=times)
    parser.add_argument("--force", action="store_true", help="replace newer work, and what was put there by hand")
    parser.set_defaults(run=_collect)


def _collect(options: argparse.Namespace) -> int:
    from autograder.grading.console import console
    from autograder.grading.course import find_course
    from autograder.grading.lms.collect import Order, collect
    from autograder.grading.lms.telling import tell

    order = Order(options.assignment, options.source, options.sheet, options.entry_times, options.force)
    return tell(collect(find_course(), order), order, console())


def _add_feedback(commands: Any) -> None:
    about = (
        "Write the feedback pages of everyone who was graded, several at a time. Pages are always written anew: they show "
        "the latest points, marks and comments."
    )
    parser = commands.add_parser("feedback", help="write a class's feedback pages", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--student", action="append", metavar="ID", help="only this student's (repeatable)")
    parser.add_argument("--workers", type=int, default=None, help="pages at a time (default: one for each core)")
    parser.set_defaults(run=_feedback)


def _feedback(options: argparse.Namespace) -> int:
    from joblib import cpu_count

    from autograder.grading.course import find_course
    from autograder.grading.gradebook.page_run import write_pages

    workers = cpu_count() if options.workers is None else options.workers
    if workers < 1:
        raise ValueError(f"--workers should be at least 1, but is {workers}.")
    return write_pages(find_course(), options.assignment, options.student or (), workers)
