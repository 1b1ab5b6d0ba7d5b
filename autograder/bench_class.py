"""How fast a class is graded, against stock nbgrader with the same checks in the student's own kernel."""

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder import notebooks
from autograder.attacks import FIRST as ASSIGNMENT
from autograder.attacks import scores_of
from autograder.cases import OWN_BANK, Case, read_bank
from autograder.course import NBGRADER_CONFIG, Course, find_course

#: Left unwritten, because it measures: its time is the machine's, not the grader's.
SPEED = "blockwise_attention"

#: nbgrader as it comes, with the checks in the student's own kernel.
_STOCK = (
    NBGRADER_CONFIG
    + """
from nbgrader.apps import autogradeapp
from nbgrader.converters import Autograde

autogradeapp.Autograde = Autograde
c = get_config()
c.Autograde.sanitize_preprocessors = Autograde.sanitize_preprocessors.default_args[0]
c.Autograde.autograde_preprocessors = Autograde.autograde_preprocessors.default_args[0]
c.Execute.timeout = 180
"""
)


def lay_out(root: Path, number: int, config: str = NBGRADER_CONFIG, written: tuple[str, ...] = ()) -> Course:
    """Make a course with ``number`` different submissions: right answers of many styles, and about one in four wrong.

    ``written`` names the exercises that are written at all; by default all but the one with a speed target.
    """
    source = find_course()
    (root / "solutions" / ASSIGNMENT).mkdir(parents=True)
    shutil.copy(source.solution_notebook(ASSIGNMENT), root / "solutions" / ASSIGNMENT)
    (root / "nbgrader_config.py").write_text(config, encoding="utf8")
    command = [sys.executable, "-P", "-m", "nbgrader", "generate_assignment", ASSIGNMENT]
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    released = (root / "assignments" / ASSIGNMENT / "attention.ipynb").read_text(encoding="utf8")
    known: dict[tuple[str, bool], list[Case]] = {}
    for case in sorted(read_bank(OWN_BANK), key=str):
        known.setdefault((case.exercise, case.right), []).append(case)
    choose = random.Random(0)
    for index in range(number):
        notebook = json.loads(released)
        _fill_in(notebook, index, known, choose, written)
        place = root / "grading" / "submitted" / f"student-{index:04}" / ASSIGNMENT
        place.mkdir(parents=True)
        (place / "attention.ipynb").write_text(json.dumps(notebook), encoding="utf8")
    return Course(root)


def _fill_in(notebook: dict[str, Any], index: int, known: Any, choose: random.Random, written: tuple[str, ...]) -> None:
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        if cell["cell_type"] != "code":
            cell["source"] = f"The answer of student {index}."
        elif name != SPEED and (not written or name in written):
            case = choose.choice(known[name, choose.random() < 0.75])
            cell["source"] = f"{case.answer}\n# student {index}"


def seconds(course: Course, *command: str) -> float:
    """Run a grading command in the course and return how long it took."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-m", *command, ASSIGNMENT], cwd=course.root, capture_output=True)
    return time.perf_counter() - start


def times_stock(number: int = 64, stock: int = 8) -> Iterator[tuple[str, float, float, str]]:
    """Yield (name, value, target, unit): submissions per second, ours on ``number`` and stock nbgrader's on ``stock`` of them."""
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        slow = lay_out(Path(theirs), stock, _STOCK)
        fast = lay_out(Path(ours), number)
        per_stock = seconds(slow, "nbgrader", "autograde") / stock
        per_ours = seconds(fast, "autograder", "grade") / number
        yield f"grading {number} submissions: per second", per_stock / per_ours, 12.0, "of stock nbgrader's"
        same = scores_of(slow, ASSIGNMENT)
        mine = scores_of(fast, ASSIGNMENT)
        agreed = sum(mine[student] == same[student] for student in same) / len(same)
        yield "grading: scores equal to those of stock nbgrader", agreed, 1.0, f"of {len(same)}"


def large_class(small: int = 100, large: int = 1000) -> Iterator[tuple[str, float, float, str]]:
    """Yield (name, value, target, unit) for a class of ``large`` against ``small``; two exercises are written."""
    each, complete, memory = {}, {}, {}
    for number in (small, large):
        with tempfile.TemporaryDirectory() as name:
            course = lay_out(Path(name), number, written=("softmax", "causal_mask"))
            each[number] = seconds(course, "autograder", "grade") / number
            complete[number] = len(scores_of(course, ASSIGNMENT)) / number
            memory[number] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the largest process so far
    yield f"grading {large} submissions: time for each", each[large] / each[small], 1.1, f"of that at {small}"
    yield (
        f"grading {large} submissions: memory of the largest process",
        memory[large] / memory[small],
        1.1,
        f"of that at {small}",
    )
    yield f"grading {large} submissions: in the gradebook", complete[large], 1.0, "of all"
