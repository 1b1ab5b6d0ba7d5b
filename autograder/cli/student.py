"""The student's commands: ``lab``, ``check``, ``progress`` and ``hand-in``. They need neither nbgrader nor a course folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[[Any], int]


def add_commands(commands: Any, lab: Run, check: Run, progress: Run, hand_in: Run) -> None:
    """Add them to the command line, with what runs each."""
    _add_lab(commands, lab)
    _add_check(commands, check)
    _add_progress(commands, progress)
    _add_hand_in(commands, hand_in)


def _add_lab(commands: Any, run: Run) -> None:
    about = (
        "Copy the notebooks to a folder of your own, and open JupyterLab there. What you wrote is never overwritten."
    )
    parser = commands.add_parser("lab", help="open your copy of the notebooks", description=about)
    parser.add_argument("--folder", type=Path, default=Path("work"), help="where your copy is (default: work)")
    parser.add_argument("--no-start", action="store_true", help="only copy")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="options of JupyterLab, such as --no-browser")
    parser.set_defaults(run=run)


def _add_check(commands: Any, run: Run) -> None:
    about = "Run a notebook and check its exercises."
    parser = commands.add_parser("check", help="check a student's notebook", description=about)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--exercise", action="append", metavar="NAME", help="check only this exercise (repeatable)")
    parser.add_argument("--seed", type=int, help="draw the inputs from this seed (default: a fresh one)")
    parser.add_argument(
        "--student", metavar="ID", help="take this student's numbers, where each has numbers of their own"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def _add_progress(commands: Any, run: Run) -> None:
    about = "Show what you have and what is left, from the notebooks and their last checks. Nothing is run."
    parser = commands.add_parser("progress", help="show where you stand", description=about)
    what = "a lesson such as 01-attention, a folder or a notebook (default: all that are here)"
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help=what)
    parser.set_defaults(run=run)


def _add_hand_in(commands: Any, run: Run) -> None:
    about = (
        "Make the one file to hand in, <lesson>.zip beside the notebook, with its weights; run the checks as grading will, and "
        "list what will be graded and what is missing."
    )
    parser = commands.add_parser("hand-in", help="make the file to hand in", description=about)
    parser.add_argument("lesson", metavar="LESSON", help="a lesson such as 01-attention, a folder or a notebook")
    parser.add_argument("--no-checks", action="store_true", help="make the file without running its checks")
    parser.set_defaults(run=run)
