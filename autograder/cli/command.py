"""The declaration of commands, and the arguments and options that several of them share."""

import contextlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from autograder.grading.course import Course

Declare = Callable[[Callable[..., Any]], Callable[..., Any]]


#: Matches an option, but neither a negative number nor a text with spaces.
_OPTION = re.compile(r"-(?!\d*\.?\d+$)[^\s=]+(=.*)?", re.DOTALL)


class Command(click.Command):
    """A command whose options may be abbreviated, and never take another option as their value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # for completion: the line is not finished
            return super().parse_args(ctx, args)
        options = {
            name: param for param in self.get_params(ctx) if isinstance(param, click.Option) for name in param.opts
        }
        words, named, others = iter(args), list[str](), list[str]()
        for word in words:
            name, equals, value = word.partition("=")
            matches = [name] if name in options else [full_name for full_name in options if full_name.startswith(name)]
            if word == "--":
                others += words
            elif not _OPTION.fullmatch(word) or (ctx.ignore_unknown_options and not matches):
                others.append(word)
            elif len(matches) > 1:
                raise click.NoSuchOption(name, f"{name} may be {' or '.join(matches)}: write it out.", ctx=ctx)
            elif not matches:
                named.append(word)  # click says what it may have been
            elif matches[0] in ctx.help_option_names:
                return super().parse_args(ctx, matches)
            else:
                named.append(matches[0] + equals + value)
                option = options[matches[0]]
                if not (equals or option.is_flag or isinstance(option.flag_value, str)):  # a str: it may stand alone
                    named.append(next(words, "--"))
                    if _OPTION.fullmatch(named[-1]):
                        raise click.BadOptionUsage(matches[0], f"Expected a value after {matches[0]}.", ctx)
        return super().parse_args(ctx, [*named, "--", *others])


def command(example: str, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function, with its name, and its docstring and an example as help. ``settings``: click's context."""
    return click.command(cls=Command, epilog=f"\b\nExample: autograder {example}", context_settings=settings)


def find_course() -> "Course":
    """Return the course in which the command is run. Raises LookupError outside of one."""
    from autograder.grading.course import find_course

    return find_course()


def _complete(names: Callable[["Course"], Iterable[str]]) -> Callable[..., list[str]]:
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        with contextlib.suppress(LookupError, OSError):
            return sorted(name for name in names(find_course()) if name.startswith(incomplete))
        return []

    return complete


def _cores() -> int:
    from joblib import cpu_count

    return cpu_count()


_of_lessons = _complete(lambda course: course.gradable)
_of_students = _complete(lambda course: (folder.name for folder in (course.grading / "submitted").iterdir()))

PATH, COUNT, SHARE = click.Path(path_type=Path), click.IntRange(1), click.FloatRange(0, 1, min_open=True)
COUNT.name, SHARE.name = "integer", "number"  # in an error, instead of "integer range"


def _current(ctx: click.Context, param: click.Parameter, name: str) -> str:
    """Return the current name of a lesson; print it if ``name`` is an old one."""
    try:
        new, *parts = find_course().lessons.renamed.get(name, (name,))
    except LookupError:
        return name  # the command says what is wrong
    if new != name:
        click.echo(f"{name} is called {new} now.", err=True)
    for part in parts:
        click.echo(
            f"A part of it has become {part}. To grade an old notebook for that, run the command for {part}, too.",
            err=True,
        )
    return new


assignment = click.argument("assignment", shell_complete=_of_lessons, callback=_current)
lesson = click.argument("lesson", shell_complete=_of_lessons, callback=_current)
only_lessons = click.argument("lessons", nargs=-1, metavar="[LESSON]...", shell_complete=_of_lessons)
exercise = click.argument("exercise")
student = click.argument("student", shell_complete=_of_students)
trust = click.option("--trust-submissions", "trust", is_flag=True, help="run students' code without a sandbox")


def flag(name: str, about: str) -> Declare:
    return click.option(name, is_flag=True, help=about)


def students(about: str) -> Declare:
    settings: dict[str, Any] = {"multiple": True, "metavar": "ID", "shell_complete": _of_students}
    return click.option("--student", "students", help=f"{about} (repeatable)", **settings)


def output(metavar: str, about: str, default: str | None = None) -> Declare:
    return click.option("--output", type=PATH, default=default, metavar=metavar, help=about)


def workers(items: str) -> Declare:
    about = f"{items} at a time (default: one for each core)"
    return click.option("--workers", type=COUNT, default=_cores, metavar="N", help=about)
