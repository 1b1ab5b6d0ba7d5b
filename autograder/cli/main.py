"""The command ``autograder``. Each subcommand imports what it needs, so that ``autograder --help`` answers at once."""

import argparse
import io
import sys
from typing import Any

from autograder.cli import author, class_, student


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 good, 1 a bad verdict, 2 a wrong call."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # the console of an older Windows knows no ✓
    parser = _parser()
    options, more = parser.parse_known_args(arguments)
    if options.run is _lab:
        options.options += more  # JupyterLab knows them, and says so if not
    elif more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    try:
        return options.run(options)
    except (LookupError, ValueError, FileNotFoundError, FileExistsError) as error:
        print(f"autograder: {error.args[0] if len(error.args) == 1 else error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autograder", description="Build, check and audit the course.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    student.add_commands(commands, _lab, _check, _progress, _hand_in)
    class_.add_grade(commands, _grade)
    class_.add_collect(commands)
    class_.add_reports(commands)
    class_.add_one_student(commands)
    author.add_commands(commands, _build, _new, _answers, _audit, _demo, _bundle, _site, _bench)
    return parser


def _lab(options: argparse.Namespace) -> int:
    from autograder.grading.student.working_copy import open_lab

    return open_lab(options.folder, not options.no_start, options.options)


def _check(options: argparse.Namespace) -> int:
    from autograder.grading.student.check import as_text, check_notebook, write_json

    result = check_notebook(options.notebook, options.exercise, options.seed, options.student)
    print(write_json(result) if options.json else as_text(options.notebook, result))
    return 0 if result.earned == result.points else 1


def _progress(options: argparse.Namespace) -> int:
    from autograder.grading.student.working_copy import progress_in

    print(progress_in(options.lessons))
    return 0


def _hand_in(options: argparse.Namespace) -> int:
    from autograder.grading.student.check import grade_here
    from autograder.grading.student.submit import hand_in
    from autograder.grading.student.working_copy import find_notebook

    return hand_in(find_notebook(options.lesson), None if options.no_checks else grade_here)


def _grade(options: argparse.Namespace) -> int:
    from joblib import cpu_count

    from autograder.grading.course import find_course
    from autograder.grading.gradebook.class_run import GradeOptions, grade_class
    from autograder.grading.settings import Settings
    from autograder.sandbox.limits import Limits

    workers = cpu_count() if options.workers is None else options.workers
    if workers < 1:
        raise ValueError(f"--workers should be at least 1, but is {workers}.")
    course = find_course()
    given: dict[str, Any] = {"seed": options.seed, "trust": options.trust_submissions}
    given |= {"label": course.label, "lessons": course.lessons}
    if options.limits is not None:
        given["limits"] = Limits.from_json(options.limits)
    asked = GradeOptions(
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


def _site(options: argparse.Namespace) -> int:
    from autograder.authoring.site import site
    from autograder.grading.course import find_course

    print(*site(find_course(), options.output, options.lessons), sep="\n")
    return 0


def _bench(options: argparse.Namespace) -> int:
    from autograder.authoring.bench import bench

    return bench(options.output, options.large)
