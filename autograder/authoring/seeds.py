"""Train a lesson's models from other seeds, to measure the prose's claims about five seeds.

``python -m autograder.authoring.seeds LESSON [NAME …] [--output FILE]`` runs the cells of the solution in order, with its files,
and repeats the cells of each training in the lesson's ``seeds.py`` for each seed. It writes one line of JSON for each run: the
training, the seed, the values and the seconds. Results that are already in the file are not computed again, so it can be stopped
at any time.
"""

import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import click
import jupytext

from autograder.authoring.numbers import TAG
from autograder.checks.properties import Repetition
from autograder.content.notebook import checked_exercise
from autograder.grading.course import Course, find_course


def cells_of(source: Path) -> list[str]:
    """Return the code cells of a lesson's source, without checks and numbers cells."""
    cells = [cell for cell in jupytext.read(source).cells if cell.cell_type == "code"]
    return [
        cell.source for cell in cells if TAG not in cell.metadata.get("tags", []) and not checked_exercise(cell.source)
    ]


def cell_indices(cells: Sequence[str], training: Repetition) -> list[int]:
    """Return the indices of the cells that a training repeats. Raises ValueError if one of its texts is not found there."""
    indices = []
    for text in training.cells:
        holding = [number for number, cell in enumerate(cells) if text in cell]
        if len(holding) != 1:
            raise ValueError(f"{training.name}: expected {text!r} in one cell, but it stands in {len(holding)}.")
        indices += holding
    for old in training.replace:
        if not any(old in cells[number] for number in indices):
            raise ValueError(f"{training.name}: {old!r} is to be replaced, but it is in none of its cells.")
    return sorted(indices)


def run_trainings(
    cells: Sequence[str], trainings: Sequence[Repetition], files: Path, finished: set
) -> Iterator[dict[str, Any]]:
    """Run the cells, and yield the results of each training for each of its seeds, except those ``finished``.

    The cells run in a copy of the folder ``files``. Names that a repetition defines are discarded afterwards.
    """
    indices_of = {training.name: cell_indices(cells, training) for training in trainings}
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py", "*.ipynb", ".*"))
        for number in range(max((max(at) for at in indices_of.values()), default=-1) + 1):
            with _inside(Path(folder)):
                exec(compile(cells[number], f"cell {number}", "exec"), names)
            for training in trainings:
                if indices_of[training.name][-1] == number:
                    texts = [cells[place] for place in indices_of[training.name]]
                    for seed in training.seeds:
                        if (training.name, seed) not in finished:
                            yield _run_training(training, texts, seed, names)


def _run_training(training: Repetition, texts: Sequence[str], seed: int, names: dict[str, Any]) -> dict[str, Any]:
    """Run the cells of a training with a seed in an empty folder, so that it finds no checkpoint."""
    line: dict[str, Any] = {"training": training.name, "seed": seed}
    before, start = dict(names), time.process_time()
    try:
        with tempfile.TemporaryDirectory() as folder, _inside(Path(folder)):
            exec(training.first.replace("{seed}", str(seed)), names)
            for text in texts:
                for old, new in training.replace.items():
                    text = text.replace(old, new.replace("{seed}", str(seed)))
                exec(compile(text, training.name, "exec"), names)
            line["values"] = {name: _plain(eval(code, names)) for name, code in training.values.items()}
    except Exception:  # of any kind: the other trainings go on
        line["error"] = traceback.format_exc()
    names.clear()
    names.update(before)
    return line | {"seconds": round(time.process_time() - start, 1)}


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return [_plain(element) for element in value] if isinstance(value, list | tuple) else value


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Run a block in a folder, and close the figures that it draws."""
    import matplotlib.pyplot as plt

    try:
        with chdir(folder):
            yield
    finally:
        plt.close("all")


def chosen_trainings(course: Course, assignment: str, chosen: Sequence[str]) -> list[Repetition]:
    """Return the lesson's trainings of these names (none: all). Raises LookupError if it has none, or none of such a name."""
    lesson = course.lessons.of(assignment)
    if not lesson.has("seeds"):
        choices = [name for name in course.assignments if course.lessons.of(name).has("seeds")]
        raise LookupError(
            f"{assignment} has no seeds.py, which says what is trained again. Expected one of: {', '.join(choices)}."
        )
    trainings: Sequence[Repetition] = lesson.module("seeds").TRAININGS
    names = [training.name for training in trainings]
    if unknown := [name for name in chosen if name not in names]:
        raise LookupError(f"{assignment} has no training {unknown[0]!r}. Expected some of: {', '.join(names)}.")
    return [training for training in trainings if not chosen or training.name in chosen]


def measure(source: Path, trainings: Sequence[Repetition], output: Path) -> int:
    """Run trainings of a lesson's source, write their lines to ``output``, and return the number of failures."""
    lines = [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []
    finished = {(line["training"], line["seed"]) for line in lines if "error" not in line}
    failed = 0
    for line in run_trainings(cells_of(source), trainings, source.parent, finished):
        with output.open("a", encoding="utf8") as file:
            file.write(json.dumps(line) + "\n")
        failed += "error" in line
        print(f"{line['training']}, seed {line['seed']}: {line.get('error', 'done')}, {line['seconds']} s", flush=True)
    return failed


@click.command(epilog="Example: python -m autograder.authoring.seeds 05-translation")
@click.argument("assignment", metavar="LESSON")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--output", type=click.Path(path_type=Path), default="seeds.jsonl", help="default: seeds.jsonl")
def main(assignment: str, names: tuple[str, ...], output: Path) -> None:
    """Train the models of a lesson, all or the named ones, from other seeds, and write one line of JSON for each run."""
    # Small models: one thread, and figures that are drawn nowhere. Read when torch and matplotlib are loaded.
    os.environ.update({"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "MPLBACKEND": "Agg"})
    course = find_course()
    try:
        trainings = chosen_trainings(course, assignment, names)
    except LookupError as error:
        raise click.ClickException(str(error)) from None
    sys.exit(bool(measure(course.source_of(assignment), trainings, output.resolve())))


if __name__ == "__main__":
    main()
