"""Check each notebook whose path comes in on a line, and answer with a line: its result as JSON."""

import contextlib
import sys
from pathlib import Path

from autograder.grading.student.check import check_notebook

for line in sys.stdin:
    notebook = Path(line.strip())
    with contextlib.redirect_stdout(sys.stderr), contextlib.chdir(notebook.parent):
        result = check_notebook(notebook, seed=11)
    print(result.as_json(), flush=True)
