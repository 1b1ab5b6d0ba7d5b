"""``hand_in`` in a notebook: run the command ``autograder hand-in`` on this notebook's file."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.content.lesson import Lesson
from autograder.notebook.session import in_colab, saved_notebook


def hand_in_here(lesson: Lesson, unsaved: Sequence[str]) -> None:
    """Run the command on the running notebook of a lesson, and print its output line by line.

    ``unsaved``: exercises whose saved cells differ from those that ran. In Colab, the notebook is written to a file first, and
    the browser downloads the result. Raises FileNotFoundError if the notebook has no file.
    """
    notebook = saved_notebook(lesson.assignment)
    if notebook is None:
        raise FileNotFoundError(
            f"The file of this notebook was not found in {Path().resolve()}. Save it there, or run in a terminal: "
            f"autograder hand-in NOTEBOOK"
        )
    if unsaved:
        print(f"Not saved yet: {', '.join(unsaved)}. What is handed in is the file as it was last saved (Ctrl+S).")
    path = notebook.path
    if path is None:
        path = Path(f"{lesson.name}.ipynb")
        metadata = {"course": {"assignment": lesson.assignment}}
        path.write_text(
            json.dumps({"cells": notebook.cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 0}),
            encoding="utf8",
        )
    command = [sys.executable, "-P", "-u", "-m", "autograder", "hand-in", str(path)]
    settings: dict[str, Any] = {"text": True, "encoding": "utf8", "env": {**os.environ, "PYTHONUTF8": "1"}}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings) as run:
        for line in run.stdout or ():
            print(line, end="")
    made = path.with_name(f"{lesson.assignment}.zip")
    if in_colab() and made.exists():
        with contextlib.suppress(Exception):  # without an open browser, the file stays in Colab's folder
            from google.colab import files

            files.download(str(made))
