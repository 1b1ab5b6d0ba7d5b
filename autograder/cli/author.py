"""The author's commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from autograder.cli.command import PATH, command, exercise, find_course, flag, lesson, only_lessons, output, students


@command("build 01-attention")
@only_lessons
@flag("--check", "write nothing; fail when a built file is out of date")
def build(lessons: tuple[str, ...], check: bool) -> int:
    """Build the notebooks from their sources.

    Makes solution notebooks and releases, of all lessons or of these. Fails unless the solution earns every point and the
    untouched release none.
    """
    from autograder.authoring.build import build_all

    return build_all(find_course(), check, lessons)


@command("new-exercise 02-multi-head-attention relative_positions")
@lesson
@exercise
def new_exercise(lesson: str, exercise: str) -> None:
    """Write stubs for an exercise at the end of a lesson. They build at once; replace them with your own."""
    from autograder.authoring import new

    _write_stubs(new.new_exercise, lesson, exercise)


@command("new-lesson 20-graphs degree")
@click.argument("lesson")
@exercise
def new_lesson(lesson: str, exercise: str) -> None:
    """Write stubs for a new lesson with one exercise. They build at once; replace them with your own."""
    from autograder.authoring import new

    _write_stubs(new.new_lesson, lesson, exercise)


def _write_stubs(write: Callable[..., list[Path]], lesson: str, exercise: str) -> None:
    print(*write(find_course(), lesson, exercise), sep="\n")
    print(f"Put your own exercise in place of the stub, and run: autograder build {lesson}")


@command("answers softmax --name sigmoid")
@exercise
@click.option("--lesson", help="where more than one lesson has an exercise of this name")
@click.option("--name", "names", multiple=True, help="only this answer, in full (repeatable)")
def answers(exercise: str, lesson: str | None, names: tuple[str, ...]) -> None:
    """List the known answers to an exercise. Each mistake is a diff against its base, with its hint."""
    from autograder.authoring.list_answers import list_answers

    list_answers(find_course(), exercise, lesson, names)


@command("audit --exercise softmax")
@click.option(
    "--bank",
    "banks",
    type=PATH,
    multiple=True,
    metavar="DIR",
    help="cases, DIR/<assignment>/<exercise>/<right|wrong>/<name>.py (repeatable; default: the course's own)",
)
@click.option("--exercise", "only", multiple=True, metavar="NAME", help="only this one's (repeatable)")
@click.option("--workers", type=int, help="cases at a time (default: one for each core)")
@click.option("--seed", type=int, help="draw the inputs from this seed (default: a fresh one for each case)")
@flag("--verbose", "print a line for each case")
@click.option("--since", metavar="COMMIT", help="all cases of lessons changed since this commit, a tenth of the rest")
@click.option("--tenth", type=int, metavar="N", help="which tenth, 0 to 9 (default: a different one each day)")
@flag("--no-attacks", "leave out the hostile submissions")
@click.option(
    "--names",
    is_flag=False,
    flag_value="",
    metavar="[LESSON]...",
    help="only measure the names of mistakes, and list those that no reader has judged (default: all lessons)",
)
@click.argument("lessons", nargs=-1, metavar="")  # more than one behind --names
def audit(names: str | None, lessons: tuple[str, ...], no_attacks: bool, **options: Any) -> int:
    """Grade the graders: run known right and wrong answers. A table shows how many were accepted, rejected and named."""
    from autograder.authoring.audit import audit

    if lessons and names is None:
        raise click.UsageError(f"Expected only options, but got {lessons[0]}. Lessons go after --names.")
    chosen = None if names is None else [name for name in (names, *lessons) if name]
    return audit(**options, attacks=not no_attacks, names=chosen)


@command("demo --student ada")
@click.option("--folder", type=PATH, default="demo", help="where to put the class (default: demo)")
@students("only this pupil")
def demo(folder: Path, students: tuple[str, ...]) -> int:
    """Grade a sample class with nbgrader, and show the result."""
    from autograder.authoring.demo import demo

    return demo(folder, students)


@command("bundle 01-attention --branch students")
@only_lessons
@output("ZIP", "default: dist/course.zip", "dist/course.zip")
@click.option("--branch", metavar="NAME", help="commit the same to this branch, for students to pull")
def bundle(lessons: tuple[str, ...], output: Path, branch: str | None) -> None:
    """Build the files for students.

    They are a zip archive of all lessons, or of these, and with --branch also a git branch, without solutions and mark schemes.
    The known answers that the checks need are packed. Fails if any file would give an answer away.
    """
    from autograder.authoring.bundle import bundle

    print(*bundle(find_course(), lessons, output, branch), sep="\n")


@command("site 01-attention --output site")
@only_lessons
@output("FOLDER", "default: site", "site")
def site(lessons: tuple[str, ...], output: Path) -> None:
    """Build the course as a site that works offline.

    It contains the lessons (if some are named, figures only in these), a map, the known mistakes, and how grading works. Fails if
    a page would give an answer away.
    """
    from autograder.authoring.site import site

    print(*site(find_course(), output, lessons), sep="\n")


@command("bench --output bench.json")
@output("FILE", "where to write (default: bench.json)", "bench.json")
@flag("--large", "grade a class of a thousand too (a quarter of an hour)")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="a lesson, or one of lessons, checks, diagnosis, imports, threads, grading (repeatable; default: all)",
)
def bench(output: Path, large: bool, only: tuple[str, ...]) -> int:
    """Measure speed and memory as ratios, and write bench.json."""
    from autograder.authoring.bench import bench

    return bench(output, large, only)
