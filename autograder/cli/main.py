"""The command ``autograder``. Each subcommand imports what it needs, so that ``autograder --help`` answers at once."""

import difflib
import io
import os
import sys
from typing import TextIO

import click

from autograder.cli import author, class_, student


class _Commands(click.Group):
    """The commands in the order of their modules, and an error that lists them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not ctx.resilient_parsing:
            near = difflib.get_close_matches(args[0].replace("_", "-"), self.commands, 1)
            more = f"Did you mean {near[0]}?" if near else f"Expected one of: {', '.join(self.commands)}."
            ctx.fail(f"There is no command {args[0]!r}. {more}")
        return super().resolve_command(ctx, args)


autograder = _Commands(
    "autograder",
    help="Check, hand in, grade, build and audit the course.",
    commands=[
        command
        for module in (student, class_, author)
        for command in vars(module).values()
        if isinstance(command, click.Command)
    ],
    no_args_is_help=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)

#: The shell sets it to ask for completions.
_COMPLETE = "_AUTOGRADER_COMPLETE"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 for success, 1 for a negative result, 2 for wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # the console of an older Windows knows no ✓
    try:
        status = _run(sys.argv[1:] if arguments is None else [*arguments])
        sys.stdout.flush()
    except BrokenPipeError:
        if not any(map(_is_closed, (sys.stdout, sys.stderr))):
            raise  # not `| head`: a process of our own has ended
        for number in (1, 2):  # else Python complains when it writes the rest at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        return 1
    return status


def _run(arguments: list[str]) -> int:
    if completion := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(autograder, {}, "autograder", _COMPLETE, completion)
    try:  # without click's own `main`, which expands wildcards on Windows and takes any broken pipe for `| head`
        with autograder.make_context("autograder", arguments) as context:
            return autograder.invoke(context) or 0
    except click.exceptions.Exit as finished:  # --help
        return finished.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (LookupError, ValueError, FileNotFoundError, FileExistsError) as error:
        from autograder.grading.console import readable_lines

        text = f"autograder: {error.args[0] if len(error.args) == 1 else error}"
        print("\n".join(readable_lines(text)), file=sys.stderr)
        return 2


def _is_closed(stream: TextIO) -> bool:
    try:
        print(file=stream, flush=True)
    except BrokenPipeError:
        return True
    return False
