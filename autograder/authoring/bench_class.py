"""The speed of grading a class, compared with stock nbgrader, which runs the same checks in the student's own kernel."""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.authoring.attacks import scores_of
from autograder.authoring.lay_out import NBGRADER_CONFIG, folder_of, lay_out
from autograder.content import notebook as notebooks
from autograder.content.known_answers import cases_of
from autograder.grading.course import Course, find_course

#: Stock nbgrader, with the checks in the student's own kernel.
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


def hand_in(root: Path, number: int, config: str = NBGRADER_CONFIG, most: int | None = None) -> tuple[Course, str]:
    """Create a course with ``number`` different submissions: right answers in many styles, and about one in four wrong.

    They contain those exercises of the first lesson that measure nothing, at most ``most``, so that the time is the grader's.
    Returns the course and the assignment.
    """
    source = find_course()
    lesson = source.lessons.of(source.assignments[0])
    written = [name for name in lesson.exercises if not lesson.measures(name)][:most]
    course = lay_out(source, root, [lesson.assignment], config)
    notebook = source.solution_notebook(lesson.assignment).name
    released = (course.release / lesson.assignment / notebook).read_text(encoding="utf8")
    known = {
        (name, right): [case for case in cases_of(lesson, name) if case.right == right]
        for name in written
        for right in (True, False)
    }
    choose = random.Random(0)
    for index in range(number):
        work = json.loads(released)
        _fill_in(work, index, known, choose)
        place = folder_of(course, f"student-{index:04}", lesson.assignment)
        (place / notebook).write_text(json.dumps(work), encoding="utf8")
    return course, lesson.assignment


def _fill_in(
    notebook: dict[str, Any], index: int, known: Mapping[tuple[str, bool], Any], choose: random.Random
) -> None:
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        if cell["cell_type"] != "code":
            cell["source"] = f"The answer of student {index}."
        elif (name, True) in known:
            case = choose.choice(known[name, choose.random() < 0.75])
            cell["source"] = f"{case.text}\n# student {index}"


def seconds(course: Course, assignment: str, *command: str) -> float:
    """Run a grading command in the course and return its duration in seconds."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-m", *command, assignment], cwd=course.root, capture_output=True)
    return time.perf_counter() - start


def times_stock(number: int = 64, stock: int = 8) -> Iterator[tuple[str, float, float, str]]:
    """Yield (name, value, target, unit): submissions per second here for ``number``, and with stock nbgrader for ``stock``."""
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        slow, assignment = hand_in(Path(theirs), stock, _STOCK)
        fast, _ = hand_in(Path(ours), number)
        per_stock = seconds(slow, assignment, "nbgrader", "autograde") / stock
        per_ours = seconds(fast, assignment, "autograder", "grade") / number
        yield f"grading {number} submissions: per second", per_stock / per_ours, 12.0, "of stock nbgrader's"
        same = scores_of(slow, assignment)
        mine = scores_of(fast, assignment)
        agreed = sum(mine[student] == same[student] for student in same) / len(same)
        yield "grading: scores equal to those of stock nbgrader", agreed, 1.0, f"of {len(same)}"


def large_class(small: int = 100, large: int = 1000) -> Iterator[tuple[str, float, float, str]]:
    """Yield (name, value, target, unit) for a class of ``large`` compared with one of ``small``, with two exercises each."""
    each, complete, memory = {}, {}, {}
    for number in (small, large):
        with tempfile.TemporaryDirectory() as name:
            course, assignment = hand_in(Path(name), number, most=2)
            each[number] = seconds(course, assignment, "autograder", "grade") / number
            complete[number] = len(scores_of(course, assignment)) / number
            memory[number] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the largest process so far
    yield f"grading {large} submissions: time for each", each[large] / each[small], 1.1, f"of that at {small}"
    yield (
        f"grading {large} submissions: memory of the largest process",
        memory[large] / memory[small],
        1.1,
        f"of that at {small}",
    )
    yield f"grading {large} submissions: in the gradebook", complete[large], 1.0, "of all"
