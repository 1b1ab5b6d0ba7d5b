"""The author's commands: ``build``, ``new-exercise``, ``answers``, ``audit``, ``demo``, ``bundle``, ``site``, ``bench``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[[Any], int]


def add_commands(
    commands: Any, build: Run, new: Run, answers: Run, audit: Run, demo: Run, bundle: Run, site: Run, bench: Run
) -> None:
    """Add them to the command line, with what runs each."""
    _add_build(commands, build)
    _add_new(commands, new)
    _add_answers(commands, answers)
    _add_audit(commands, audit)
    _add_demo(commands, demo)
    _add_bundle(commands, bundle)
    _add_site(commands, site)
    _add_bench(commands, bench)


def _add_build(commands: Any, run: Run) -> None:
    about = (
        "Build solution notebooks and releases. The build fails unless the solution earns every point and the untouched "
        "release none."
    )
    parser = commands.add_parser("build", help="build the notebooks from their sources", description=about)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="build only this one, such as 01-attention")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a built file is out of date")
    parser.set_defaults(run=run)


def _add_new(commands: Any, run: Run) -> None:
    for command, what in (
        ("new-exercise", "an exercise at the end of a lesson"),
        ("new-lesson", "a lesson with one exercise"),
    ):
        about = f"Write stubs for {what}. They build at once; put your own in their place."
        parser = commands.add_parser(command, help=f"write stubs for {what}", description=about)
        parser.add_argument("lesson", metavar="LESSON", help="such as 04-translation")
        parser.add_argument("name", metavar="EXERCISE", help="the function that students write")
        parser.set_defaults(run=run, whole=command == "new-lesson")


def _add_answers(commands: Any, run: Run) -> None:
    about = "List the known answers to an exercise: each mistake as a diff against its base, with its hint."
    parser = commands.add_parser("answers", help="list known answers", description=about)
    parser.add_argument("exercise", metavar="EXERCISE")
    parser.add_argument("--lesson", metavar="LESSON", help="where more than one lesson has an exercise of this name")
    parser.add_argument("--name", action="append", metavar="NAME", help="only this answer, whole (repeatable)")
    parser.set_defaults(run=run)


def _add_audit(commands: Any, run: Run) -> None:
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


def _add_demo(commands: Any, run: Run) -> None:
    about = "Make a sample class, grade it with nbgrader, show the result."
    parser = commands.add_parser("demo", help="grade a sample class", description=about)
    parser.add_argument("--folder", type=Path, default=Path("demo"), help="where to put the class (default: demo)")
    parser.add_argument("--student", action="append", metavar="ID", help="only this pupil (repeatable)")
    parser.set_defaults(run=run)


def _add_bundle(commands: Any, run: Run) -> None:
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


def _add_site(commands: Any, run: Run) -> None:
    about = (
        "Build the course as a site that needs no network: lessons, map, known mistakes, how grading works. "
        "It fails if a page would give an answer away."
    )
    parser = commands.add_parser("site", help="build the course as a site", description=about)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="figures only in these lessons (default: in all)")
    parser.add_argument("--output", type=Path, default=Path("site"), metavar="FOLDER", help="default: site")
    parser.set_defaults(run=run)


def _add_bench(commands: Any, run: Run) -> None:
    about = "Measure speed and memory as ratios, and write bench.json."
    parser = commands.add_parser("bench", help="measure the ratios", description=about)
    parser.add_argument("--output", type=Path, default=Path("bench.json"), help="where to write (default: bench.json)")
    parser.add_argument("--large", action="store_true", help="grade a class of a thousand too (a quarter of an hour)")
    parser.set_defaults(run=run)
