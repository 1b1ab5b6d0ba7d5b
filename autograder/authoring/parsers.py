"""The arguments of an author's longer commands."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[[Namespace], int]


def add_audit(commands: Any, run: Run) -> None:
    about = "Run known right and wrong answers and print how many were accepted, rejected and named."
    parser = commands.add_parser("audit", help="grade the graders", description=about)
    bank = "cases, DIR/<assignment>/<exercise>/<right|wrong>/<name>.py (repeatable; default: the course's own)"
    parser.add_argument("--bank", dest="banks", type=Path, action="append", metavar="DIR", help=bank)
    parser.add_argument("--exercise", dest="only", action="append", metavar="NAME", help="only this one's (repeatable)")
    parser.add_argument("--workers", type=int, default=None, help="cases at a time (default: one for each core)")
    parser.add_argument("--seed", type=int, help="draw the inputs from this seed (default: a fresh one for each case)")
    parser.add_argument("--verbose", action="store_true", help="print a line for each case")
    parser.add_argument("--since", metavar="COMMIT", help="all of the lessons changed since then, a tenth of the rest")
    parser.add_argument(
        "--tenth", type=int, metavar="N", help="which tenth, 0 to 9 (default: a different one each day)"
    )
    parser.add_argument("--no-attacks", dest="attacks", action="store_false", help="leave out the hostile submissions")
    names = "only measure the names of mistakes, and list those that no reader has judged (default: all lessons)"
    parser.add_argument("--names", nargs="*", metavar="LESSON", help=names)
    parser.set_defaults(run=run)


def add_bundle(commands: Any, run: Run) -> None:
    about = (
        "Make what students get, without solutions, mark schemes and known right answers: a zip archive, and with --branch a "
        "git branch of its own. It fails if anything in it would give an answer away."
    )
    parser = commands.add_parser("bundle", help="make what students get", description=about)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="only these assignments (default: all)")
    parser.add_argument(
        "--output", type=Path, default=Path("dist/course.zip"), metavar="ZIP", help="default: dist/course.zip"
    )
    parser.add_argument("--branch", metavar="NAME", help="commit the same to this branch, for students to pull")
    parser.set_defaults(run=run)
