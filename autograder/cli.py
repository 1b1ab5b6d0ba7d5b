"""The command ``autograder``. Each subcommand imports what it needs, so that ``autograder --help`` answers at once."""

import argparse
import sys
from pathlib import Path
from typing import Any

from autograder.authoring.parsers import add_audit, add_bundle
from autograder.grading.commands import asking, looking, moving


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 good, 1 a bad verdict, 2 a wrong call."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except (LookupError, ValueError, FileNotFoundError, FileExistsError) as error:
        print(f"autograder: {error.args[0] if len(error.args) == 1 else error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autograder", description="Build, check and audit the course.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_check, _add_build, _add_new, _add_answers, _add_demo, _add_bench):
        add(commands)
    add_audit(commands, _audit)
    add_bundle(commands, _bundle)
    moving.add_grade(commands, _grade)
    for teaching in (moving, looking, asking):
        teaching.add_all(commands)
    return parser


def _add_check(commands: Any) -> None:
    about = "Run a notebook and check its exercises."
    parser = commands.add_parser("check", help="check a student's notebook", description=about)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--exercise", action="append", metavar="NAME", help="check only this exercise (repeatable)")
    parser.add_argument("--seed", type=int, help="draw the inputs from this seed (default: a fresh one)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=_check)


def _add_build(commands: Any) -> None:
    about = (
        "Build solution notebooks and releases. The build fails unless the solution earns every point and the untouched "
        "release none."
    )
    parser = commands.add_parser("build", help="build the notebooks from their sources", description=about)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="build only this one, such as 01-attention")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a built file is out of date")
    parser.set_defaults(run=_build)


def _add_new(commands: Any) -> None:
    for command, what in (
        ("new-exercise", "an exercise at the end of a lesson"),
        ("new-lesson", "a lesson with one exercise"),
    ):
        about = f"Write stubs for {what}. They build at once; put your own in their place."
        parser = commands.add_parser(command, help=f"write stubs for {what}", description=about)
        parser.add_argument("lesson", metavar="LESSON", help="such as 04-translation")
        parser.add_argument("name", metavar="EXERCISE", help="the function that students write")
        parser.set_defaults(run=_new, whole=command == "new-lesson")


def _add_answers(commands: Any) -> None:
    about = "List the known answers to an exercise: each mistake as a diff against its base, with its hint."
    parser = commands.add_parser("answers", help="list known answers", description=about)
    parser.add_argument("exercise", metavar="EXERCISE")
    parser.add_argument("--lesson", metavar="LESSON", help="where more than one lesson has an exercise of this name")
    parser.add_argument("--name", action="append", metavar="NAME", help="only this answer, whole (repeatable)")
    parser.set_defaults(run=_answers)


def _add_demo(commands: Any) -> None:
    about = "Make a sample class, grade it with nbgrader, show the result."
    parser = commands.add_parser("demo", help="grade a sample class", description=about)
    parser.add_argument("--folder", type=Path, default=Path("demo"), help="where to put the class (default: demo)")
    parser.add_argument("--student", action="append", metavar="ID", help="only this pupil (repeatable)")
    parser.set_defaults(run=_demo)


def _add_bench(commands: Any) -> None:
    about = "Measure speed and memory as ratios, and write bench.json."
    parser = commands.add_parser("bench", help="measure the ratios", description=about)
    parser.add_argument("--output", type=Path, default=Path("bench.json"), help="where to write (default: bench.json)")
    parser.add_argument("--large", action="store_true", help="grade a class of a thousand too (a quarter of an hour)")
    parser.set_defaults(run=_bench)


def _check(options: argparse.Namespace) -> int:
    from autograder.grading.one_notebook import as_text, check_notebook, write_json

    result = check_notebook(options.notebook, options.exercise, options.seed)
    print(write_json(result) if options.json else as_text(options.notebook, result))
    return 0 if result.earned == result.points else 1


def _grade(options: argparse.Namespace) -> int:
    from joblib import cpu_count

    from autograder.grading.class_run import Options, grade_class
    from autograder.grading.course import find_course
    from autograder.grading.settings import Settings
    from autograder.sandbox.outside.limits import Limits

    workers = cpu_count() if options.workers is None else options.workers
    if workers < 1:
        raise ValueError(f"--workers should be at least 1, but is {workers}.")
    course = find_course()
    given: dict[str, Any] = {"seed": options.seed, "trust": options.trust_submissions}
    given |= {"label": course.label, "lessons": course.lessons}
    if options.limits is not None:
        given["limits"] = Limits.from_json(options.limits)
    asked = Options(
        options.assignment,
        workers,
        options.scheduler,
        options.diff,
        options.force,
        options.student or (),
        Settings.from_environment(**given),
    )
    return grade_class(course, asked)


def _build(options: argparse.Namespace) -> int:
    from autograder.authoring.build_all import build_all
    from autograder.grading.course import find_course

    return build_all(find_course(), options.check, options.lessons)


def _new(options: argparse.Namespace) -> int:
    from autograder.authoring import new
    from autograder.grading.course import find_course

    write = new.new_lesson if options.whole else new.new_exercise
    print(*write(find_course(), options.lesson, options.name), sep="\n")
    print(f"Put your own exercise in place of the stub, and run: autograder build {options.lesson}")
    return 0


def _answers(options: argparse.Namespace) -> int:
    from autograder.authoring.list_answers import list_answers
    from autograder.grading.course import find_course

    list_answers(find_course(), options.exercise, options.lesson, options.name or ())
    return 0


def _audit(options: argparse.Namespace) -> int:
    from autograder.authoring.audit import audit

    return audit(**{name: value for name, value in vars(options).items() if name != "run"})


def _demo(options: argparse.Namespace) -> int:
    from autograder.authoring.demo import demo

    return demo(options.folder, options.student or ())


def _bundle(options: argparse.Namespace) -> int:
    from autograder.authoring.bundle import bundle
    from autograder.grading.course import find_course

    print(*bundle(find_course(), options.lessons, options.output, options.branch), sep="\n")
    return 0


def _bench(options: argparse.Namespace) -> int:
    from autograder.authoring.bench import bench

    return bench(options.output, options.large)
